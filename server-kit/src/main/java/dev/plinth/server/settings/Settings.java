package dev.plinth.server.settings;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings of one process, read into a record: flag before environment before file before
 * default. A key that no component asks for, a value of the wrong form or one that a record's
 * constructor refuses fails the whole read, with every problem named at once.
 *
 * @param <S> a record whose components carry {@link Setting}, or are such records themselves
 */
public final class Settings<S extends Record> {
  private record EffectiveSetting(SettingKey key, String value, String origin) {}

  private static final String BY_DEFAULT = "default";

  private final List<EffectiveSetting> lines = new ArrayList<>();
  private final S value;

  private Settings(Class<S> type, List<String> args, Map<String, String> env)
      throws SettingsRefusedException {
    List<SettingKey> keys = SettingKey.of(type);
    SettingSources settingSources = new SettingSources(keys, args, env);
    List<String> problems = settingSources.problems();
    Map<String, Object> parsed = new HashMap<>();
    for (SettingKey key : keys) {
      parse(key, settingSources, parsed, problems);
    }
    value = problems.isEmpty() ? type.cast(build("", type, parsed, problems)) : null;
    if (!problems.isEmpty()) {
      throw new SettingsRefusedException(problems);
    }
  }

  public static <S extends Record> Settings<S> read(
      Class<S> type, List<String> args, Map<String, String> env) throws SettingsRefusedException {
    return new Settings<>(type, args, env);
  }

  public S value() {
    return value;
  }

  /** Every setting with its value and where that came from, a line each. */
  public String print() {
    return table(lines.stream().map(Settings::row).toList());
  }

  /** Like {@link #print}, but only what was not left at its default; empty if nothing was. */
  public String printGiven() {
    return table(
        lines.stream().filter(l -> !l.origin.equals(BY_DEFAULT)).map(Settings::row).toList());
  }

  /** Every setting of a record with its default and meaning. */
  public static String help(Class<? extends Record> type) {
    List<SettingKey> keys = new ArrayList<>(List.of(SettingSources.CONFIG));
    keys.addAll(SettingKey.of(type));
    return table(keys.stream().map(Settings::helpRow).toList());
  }

  /** A properties file with every setting of a record at its default, commented out. */
  public static String example(Class<? extends Record> type) {
    StringBuilder text =
        new StringBuilder(
            "# Every setting with its default. Copy, change, and start with --config=FILE.\n");
    for (SettingKey key : SettingKey.of(type)) {
      text.append("\n# ").append(key.meaning()).append(" (").append(SettingCodec.form(key.type()));
      text.append(")\n#").append(key.key()).append('=').append(key.byDefault()).append('\n');
    }
    return text.toString();
  }

  private void parse(
      SettingKey key,
      SettingSources settingSources,
      Map<String, Object> parsed,
      List<String> problems) {
    var given =
        settingSources.find(key).orElse(new SettingSources.Given(key.byDefault(), BY_DEFAULT));
    try {
      Object typed = SettingCodec.parse(key.type(), given.text());
      parsed.put(key.key(), typed);
      lines.add(new EffectiveSetting(key, SettingCodec.print(typed), given.origin()));
    } catch (IllegalArgumentException e) {
      problems.add(problem(key.key(), given.text(), e.getMessage(), given.origin()));
    }
  }

  private Object build(
      String prefix, Class<?> type, Map<String, Object> parsed, List<String> problems) {
    RecordComponent[] components = type.getRecordComponents();
    Object[] arguments = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      arguments[i] =
          components[i].isAnnotationPresent(Setting.class)
              ? parsed.get(SettingKey.name(prefix, components[i]))
              : build(
                  SettingKey.nested(prefix, components[i]),
                  components[i].getType(),
                  parsed,
                  problems);
    }
    if (!problems.isEmpty()) {
      return null;
    }
    try {
      return constructor(type, components).newInstance(arguments);
    } catch (InvocationTargetException e) {
      problems.add(refusal(prefix, components, e.getCause()));
      return null;
    } catch (ReflectiveOperationException e) {
      throw new AssertionError("a settings record is public with a public constructor: " + type, e);
    }
  }

  private String refusal(String prefix, RecordComponent[] components, Throwable cause) {
    if (!(cause instanceof InvalidSettingException invalid)) {
      throw new AssertionError("a settings record refuses only with InvalidSetting", cause);
    }
    String key =
        Arrays.stream(components)
            .filter(component -> component.getName().equals(invalid.component()))
            .map(component -> SettingKey.name(prefix, component))
            .findFirst()
            .orElseThrow(() -> new AssertionError("no such component", invalid));
    EffectiveSetting effectiveSetting =
        lines.stream().filter(l -> l.key.key().equals(key)).findFirst().orElseThrow();
    return problem(key, effectiveSetting.value, invalid.expected(), effectiveSetting.origin);
  }

  private static Constructor<?> constructor(Class<?> type, RecordComponent[] components)
      throws NoSuchMethodException {
    return type.getConstructor(
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
  }

  private static String problem(String key, String value, String expected, String origin) {
    return key + ": " + value + " (expected: " + expected + "), from " + origin;
  }

  private static String[] row(EffectiveSetting effectiveSetting) {
    return new String[] {
      effectiveSetting.key.key(), effectiveSetting.value, effectiveSetting.origin
    };
  }

  private static String[] helpRow(SettingKey key) {
    String byDefault = key.byDefault().isEmpty() ? "" : " (default " + key.byDefault() + ")";
    return new String[] {
      key.flag() + "=" + SettingCodec.form(key.type()), key.meaning() + byDefault
    };
  }

  private static String table(List<String[]> rows) {
    int columns = rows.stream().mapToInt(row -> row.length).max().orElse(0);
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      text.append("  ");
      for (int i = 0; i < columns - 1; i++) {
        text.append(row[i]).append(" ".repeat(width(rows, i) - row[i].length() + 2));
      }
      text.append(row[columns - 1]).append('\n');
    }
    return text.toString();
  }

  private static int width(List<String[]> rows, int column) {
    return rows.stream().mapToInt(row -> row[column].length()).max().orElse(0);
  }
}
