package dev.plinth.config.content;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;

/** Reads JSON strictly: one value, no name twice, nothing behind it, no deeper than 200 levels. */
public final class JsonText {
  private static final int MAX_DEPTH = 200;
  private static final ObjectMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build())
                  .build())
          .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private JsonText() {}

  /**
   * Whether content of a type is JSON: {@code application/json}, or one that ends in {@code +json}.
   */
  public static boolean isJson(String contentType) {
    String type = contentType.split(";", 2)[0].strip();
    return type.equals("application/json") || type.endsWith("+json");
  }

  /**
   * @throws InvalidContentException if it is no JSON
   */
  public static JsonNode parse(byte[] text) {
    try {
      JsonNode node = MAPPER.readTree(text);
      if (node.isMissingNode()) {
        throw new InvalidContentException("no value");
      }
      return node;
    } catch (JsonProcessingException e) {
      String where =
          e.getLocation() == null
              ? ""
              : " at line %d, column %d"
                  .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
      throw new InvalidContentException(e.getOriginalMessage() + where);
    } catch (IOException e) {
      throw new InvalidContentException(String.valueOf(e.getMessage()));
    }
  }
}
