package dev.plinth.standalone.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Value;
import dev.plinth.ratelimit.envoy.ImportEnvoyCommand;
import dev.plinth.standalone.PlinthServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs the commands of a document against one server. An argument in capitals, such as TOKEN,
 * stands for the field of that name in the last answer that had one.
 */
final class ShellSession {
  // grpcurl -plaintext [-d 'JSON'] localhost:7450 (list | package.Service/Method)
  private static final Pattern GRPCURL =
      Pattern.compile("grpcurl -plaintext (?:-d '([^']*)' )?localhost:7450 (\\S+)");
  private static final Pattern CURL = Pattern.compile("curl (?:-s )?localhost:7451(/\\S*)");
  private static final Pattern IMPORT =
      Pattern.compile("./gradlew run --args='import-envoy --target=localhost:7450 (\\S+)'");
  private static final Pattern GRADLE = Pattern.compile("\\./gradlew .*");
  private static final Pattern PLACEHOLDER = Pattern.compile("\"([A-Z]+(?:_[A-Z]+)*)\"");
  private static final Pattern BUF_CODE = Pattern.compile("\"code\":\\s*\"(\\w+)\"");
  private static final Pattern BUF_MESSAGE = Pattern.compile("\"message\":\\s*\"([^\"]*)\"");

  private final Path root;
  private final PlinthServer server;
  private final Map<String, String> seen = new HashMap<>();

  ShellSession(Path root, PlinthServer server) {
    this.root = root;
    this.server = server;
  }

  /** What the command prints; an error in grpcurl's form. */
  String run(String command) throws Exception {
    Matcher grpcurl = GRPCURL.matcher(command);
    Matcher curl = CURL.matcher(command);
    Matcher imported = IMPORT.matcher(command);
    if (grpcurl.matches()) {
      return call(grpcurl.group(1), grpcurl.group(2));
    } else if (curl.matches()) {
      return get(curl.group(1));
    } else if (imported.matches()) {
      return importEnvoy(imported.group(1));
    }
    assertTrue(GRADLE.matcher(command).matches(), "not understood by this test: " + command);
    return "";
  }

  /** buf curl speaks to a server as grpcurl does, and the build has it. */
  private String call(String json, String what) throws Exception {
    String address = "http://127.0.0.1:" + server.port();
    List<String> command = new ArrayList<>(List.of(System.getProperty("plinth.buf"), "curl"));
    command.addAll(List.of("--protocol", "grpc", "--http2-prior-knowledge"));
    if (what.equals("list")) {
      command.addAll(List.of("--list-services", address));
    } else {
      command.addAll(List.of("--data", json == null ? "{}" : filledIn(json), address + "/" + what));
    }
    Process buf = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(buf.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (buf.waitFor() != 0) {
      return error(output);
    }
    if (!what.equals("list")) {
      remember(ShownAnswer.json(output));
    }
    return output;
  }

  private static String error(String output) {
    Matcher code = BUF_CODE.matcher(output);
    Matcher message = BUF_MESSAGE.matcher(output);
    assertTrue(code.find() && message.find(), output);
    StringBuilder name = new StringBuilder();
    for (String word : code.group(1).split("_")) {
      name.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
    }
    return "ERROR:\n  Code: " + name + "\n  Message: " + message.group(1) + "\n";
  }

  private void remember(Value answer) {
    if (answer.hasListValue()) {
      answer.getListValue().getValuesList().forEach(this::remember);
    }
    answer
        .getStructValue()
        .getFieldsMap()
        .forEach(
            (name, value) -> {
              if (value.hasStringValue()) {
                seen.put(name, value.getStringValue());
              }
              remember(value);
            });
  }

  private String filledIn(String json) {
    return PLACEHOLDER
        .matcher(json)
        .replaceAll(
            placeholder -> {
              String field = camelCase(placeholder.group(1));
              boolean isEnum =
                  placeholder.group(1).matches("(MODE|FORMAT|ALGORITHM|ORDER|OVERRIDE)_.*");
              if (isEnum) {
                return placeholder.group();
              }
              assertNotNull(seen.get(field), "no answer had a field " + field);
              return '"' + seen.get(field) + '"';
            });
  }

  private static String camelCase(String upperSnake) {
    String[] words = upperSnake.toLowerCase(Locale.ROOT).split("_");
    StringBuilder name = new StringBuilder(words[0]);
    for (int i = 1; i < words.length; i++) {
      name.append(words[i].substring(0, 1).toUpperCase(Locale.ROOT)).append(words[i].substring(1));
    }
    return name.toString();
  }

  private String importEnvoy(String file) {
    String target = "--target=localhost:" + server.port();
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);
    int code = ImportEnvoyCommand.run(List.of(target, root.resolve(file).toString()), out, out);
    assertEquals(0, code, printed.toString(StandardCharsets.UTF_8));
    return printed.toString(StandardCharsets.UTF_8);
  }

  private String get(String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + server.adminPort() + path);
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    assertEquals(200, answer.statusCode(), path);
    return answer.body();
  }
}
