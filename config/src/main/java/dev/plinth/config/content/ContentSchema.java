package dev.plinth.config.content;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaException;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SchemaRegistryConfig;
import com.networknt.schema.SpecificationVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * A JSON schema, draft 2020-12 unless it says otherwise. It sees nothing but itself: references to
 * other documents are refused, by file, class path or network. Patterns have a bounded number of
 * steps.
 */
public final class ContentSchema {
  private static final int MAX_ERRORS = 10;
  // It logs the mistakes of callers, who are told of them. Held, or the level would be forgotten.
  private static final Logger LIBRARY = Logger.getLogger("com.networknt.schema");

  static {
    LIBRARY.setLevel(Level.OFF);
  }

  private final Schema schema;

  private ContentSchema(Schema schema) {
    this.schema = schema;
  }

  /**
   * @throws InvalidContentException if it is no schema
   */
  public static ContentSchema parse(String text) {
    JsonNode node = JsonText.parse(text.getBytes(StandardCharsets.UTF_8));
    if (!node.isObject() && !node.isBoolean()) {
      throw new InvalidContentException("a schema is an object, true or false");
    }
    try {
      Schema schema = registry().getSchema(node);
      schema.initializeValidators();
      return new ContentSchema(schema);
    } catch (SchemaException | IllegalArgumentException e) {
      throw new InvalidContentException("not a schema: " + e.getMessage());
    }
  }

  /** One for each schema: what one defines must not be found by another. */
  private static SchemaRegistry registry() {
    return SchemaRegistry.withDefaultDialect(
        SpecificationVersion.DRAFT_2020_12,
        builder ->
            builder
                .schemaLoader(loader -> loader.block(iri -> true))
                .schemaRegistryConfig(
                    SchemaRegistryConfig.builder()
                        .regularExpressionFactory(BoundedPattern::new)
                        .build()));
  }

  /**
   * @throws InvalidContentException if the content does not fit
   */
  public void check(JsonNode content) {
    List<Error> errors;
    try {
      errors = schema.validate(content);
    } catch (SchemaException | IllegalArgumentException e) {
      throw new InvalidContentException("the schema cannot be used: " + e.getMessage());
    } catch (StackOverflowError e) {
      throw new InvalidContentException("the schema refers to itself without end");
    }
    if (!errors.isEmpty()) {
      String more = errors.size() > MAX_ERRORS ? "; and " + (errors.size() - MAX_ERRORS) : "";
      throw new InvalidContentException(
          errors.stream()
                  .limit(MAX_ERRORS)
                  .map(error -> error.getInstanceLocation() + ": " + error.getMessage())
                  .collect(Collectors.joining("; "))
              + more);
    }
  }
}
