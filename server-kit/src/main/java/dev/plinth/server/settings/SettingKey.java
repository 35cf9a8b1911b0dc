package dev.plinth.server.settings;

import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One setting: {@code lease.max-ttl}, its flag, its environment variable, its type and meaning. */
record SettingKey(String key, Type type, String byDefault, String meaning) {
  SettingKey {
    if (type.getTypeName().contains(Secret.class.getName()) && !key.endsWith("-file")) {
      throw new AssertionError("a secret's key ends in -file: " + key);
    }
  }

  String flag() {
    return "--" + key;
  }

  String variable() {
    return "PLINTH_" + key.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
  }

  /** All settings of a record and of the records nested in it, in the order of declaration. */
  static List<SettingKey> of(Class<? extends Record> settings) {
    List<SettingKey> keys = new ArrayList<>();
    collect("", settings, keys);
    return keys;
  }

  static String name(String prefix, RecordComponent component) {
    return prefix + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
  }

  /** What stands before the keys of a nested record. */
  static String nested(String prefix, RecordComponent component) {
    return component.isAnnotationPresent(Inline.class) ? prefix : name(prefix, component) + ".";
  }

  private static void collect(String prefix, Class<?> settings, List<SettingKey> keys) {
    for (RecordComponent component : settings.getRecordComponents()) {
      Setting setting = component.getAnnotation(Setting.class);
      if (setting == null) {
        collect(nested(prefix, component), component.getType(), keys);
        continue;
      }
      keys.add(
          new SettingKey(
              name(prefix, component),
              component.getGenericType(),
              setting.byDefault(),
              setting.meaning()));
    }
  }
}
