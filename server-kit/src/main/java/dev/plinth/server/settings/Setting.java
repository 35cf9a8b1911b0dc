package dev.plinth.server.settings;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** What a component of a settings record means, and its default in the form a user would type. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Setting {
  String meaning();

  /** Empty for a setting that is off unless given; its type is then {@code Optional}. */
  String byDefault();
}
