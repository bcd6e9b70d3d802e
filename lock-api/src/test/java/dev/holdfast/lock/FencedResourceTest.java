package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FencedResourceTest {
    private final FencedResource stock = FencedResource.inMemory("stock");
    private final List<String> written = new ArrayList<>();

    @Test
    void refusesOlderTokensAndForeignEqualOnes() {
        stock.admit(5, "a", () -> written.add("a5"));
        stock.admit(5, "a", () -> written.add("a5 again"));
        stock.admit(7, "b", () -> written.add("b7"));
        assertThatThrownBy(() -> stock.admit(5, "a", () -> written.add("late")))
                .isInstanceOf(StaleTokenException.class)
                .hasMessage("stock: token 5 is older than 7, the newest one seen");
        assertThatThrownBy(() -> stock.admit(7, "c", () -> written.add("twin")))
                .isInstanceOf(StaleTokenException.class)
                .hasMessage("stock: token 7 was already used by another acquisition")
                .satisfies(e -> assertThat(((StaleTokenException) e).highest()).isEqualTo(7));
        assertThatThrownBy(() -> stock.admit(0, "d", () -> written.add("zero")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(written).containsExactly("a5", "a5 again", "b7");
    }

    @Test
    void aFailingActionHasUsedItsToken() {
        assertThatThrownBy(() -> stock.admit(3, "a", () -> {
                    throw new java.io.IOException("disk full");
                }))
                .isInstanceOf(java.io.IOException.class);
        assertThatThrownBy(() -> stock.admit(2, "b", () -> {})).isInstanceOf(StaleTokenException.class);
    }
}
