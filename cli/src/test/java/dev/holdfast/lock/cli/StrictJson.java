package dev.holdfast.lock.cli;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.Strictness;

/** A parser that accepts what RFC 8259 does, and nothing else. */
final class StrictJson {
    private static final Gson GSON =
            new GsonBuilder().setStrictness(Strictness.STRICT).create();

    private StrictJson() {}

    static JsonElement parse(String text) {
        return GSON.fromJson(text, JsonElement.class);
    }
}
