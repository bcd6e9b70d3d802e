package dev.holdfast.lock.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "plain",
                "\"quoted\"",
                "back\\slash \\u0041 \\n",
                "line\nreturn\rtab\tbell\u0007null\0delete\u007f",
                "ümlaut \u2028\u2029 😀",
                "</script>"
            })
    void textComesBackAsItWas(String text) {
        String json = Json.write(List.of(Map.of(text, text)));
        assertThat(StrictJson.parse(json)
                        .getAsJsonArray()
                        .get(0)
                        .getAsJsonObject()
                        .get(text)
                        .getAsString())
                .isEqualTo(text);
        assertThat(json).matches("\\p{ASCII}*").doesNotContainPattern("[\\x00-\\x09\\x0b-\\x1f\\x7f]");
    }

    @Test
    void loneSurrogateIsEscaped() {
        assertThat(Json.write("\ud83d")).isEqualTo("\"\\ud83d\"");
    }

    @Test
    void everyKindOfValue() {
        Map<String, Object> value = new LinkedHashMap<>();
        value.put("empty map", Map.of());
        value.put("empty list", List.of());
        value.put("number", -12.5);
        value.put("truth", true);
        value.put("nothing", Arrays.asList(null, 1));
        value.put("nested", List.of(List.of("a"), Map.of("b", List.of("c"))));
        value.put("anything else", Duration.ofSeconds(30));
        JsonElement expected = StrictJson.parse("""
                {"empty map": {}, "empty list": [], "number": -12.5, "truth": true, "nothing": [null, 1],
                 "nested": [["a"], {"b": ["c"]}], "anything else": "PT30S"}
                """);
        assertThat(StrictJson.parse(Json.write(value))).isEqualTo(expected);
    }
}
