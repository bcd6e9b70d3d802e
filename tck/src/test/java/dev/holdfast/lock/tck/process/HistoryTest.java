package dev.holdfast.lock.tck.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class HistoryTest {
    private final History history = new History();

    private void hold(String id, long token, long asked, long from, long until) {
        history.granted("P", "x", id, OptionalLong.of(token), asked, from);
        history.held(id, until);
    }

    @Test
    void oneAfterTheOtherIsFine() {
        hold("a", 1, 0, 10, 20);
        hold("c", 3, 15, 30, 40);
        hold("b", 2, 12, 22, 28);
        history.granted("Q", "y", "d", OptionalLong.empty(), 0, 15);
        history.held("d", 35);
        assertThat(history.violations()).isEmpty();
        assertThat(history.holds()).extracting(History.Hold::id).containsExactly("a", "d", "b", "c");
    }

    @Test
    void overlapsAreFoundAlsoBehindALongOne() {
        hold("long", 1, 0, 10, 100);
        hold("b", 2, 12, 101, 110);
        hold("c", 3, 12, 102, 103);
        hold("d", 4, 12, 109, 130);
        assertThat(history.violations())
                .hasSize(2)
                .allSatisfy(v -> assertThat(v).contains("two hold at once"));
    }

    @Test
    void tokensMustRiseInTheOrderOfGrants() {
        hold("a", 5, 0, 10, 20);
        hold("concurrent", 4, 9, 21, 22);
        assertThat(history.violations()).isEmpty();
        hold("later", 5, 30, 31, 32);
        assertThat(history.violations())
                .singleElement()
                .satisfies(v -> assertThat(v).contains("does not rise"));
    }

    @Test
    void anIdIsGrantedOnce() {
        hold("a", 1, 0, 1, 2);
        assertThatThrownBy(() -> hold("a", 2, 3, 4, 5)).hasMessageContaining("twice");
        assertThatThrownBy(() -> history.held("b", 1)).hasMessageContaining("never granted");
    }
}
