package dev.holdfast.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class LockGuaranteesTest {
    private static final Fault[] ALL =
            Arrays.stream(Fault.values()).filter(Fault::isClaimable).toArray(Fault[]::new);

    private static LockGuarantees.Builder strong() {
        return LockGuarantees.builder()
                .scope(Scope.CLUSTER)
                .exclusion()
                .tokenOrder(ALL)
                .progress()
                .impossible()
                .fencing(Fencing.DURABLE)
                .hold(HoldModel.SESSION)
                .orphanBound(Duration.ofSeconds(1))
                .reentrancy(Reentrancy.NONE)
                .fairness(Fairness.NONE)
                .waiting(Waiting.POLLED)
                .toleratedNodeLosses("none")
                .needs();
    }

    @Test
    void unansweredDimensionsAreListed() {
        assertThatThrownBy(() -> LockGuarantees.builder().scope(Scope.SERVER).build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("guarantees without an answer: exclusion, tokenOrder, progress, impossible, fencing, hold,"
                        + " orphanBound, reentrancy, fairness, waiting, toleratedNodeLosses, needs");
    }

    @Test
    void contradictionsAreRefused() {
        assertThatThrownBy(() -> strong().exclusion(Fault.EMPTY_RESTART).build())
                .hasMessageContaining("EXCLUSION under EMPTY_RESTART: nobody can claim");
        assertThatThrownBy(() -> strong().impossible(Fault.FAILOVER).build())
                .hasMessageContaining("TOKEN_ORDER under FAILOVER: the fault is listed as impossible");
        assertThatThrownBy(() -> strong().progress(Fault.CLOCK_JUMP).build())
                .hasMessageContaining("PROGRESS can be claimed");
        assertThatThrownBy(() -> strong().fencing(Fencing.UNIQUE).build())
                .hasMessageContaining("tokenOrder needs fencing");
        assertThatThrownBy(() -> strong().tokenOrder().build()).hasMessageContaining("fencing DURABLE needs");
        assertThatThrownBy(() -> strong().orphanBound(Duration.ZERO).build()).hasMessageContaining("orphanBound");
        assertThatThrownBy(() -> strong().impossible(Fault.BACKUP_RESTORE).build())
                .hasMessageContaining("possible everywhere");
    }

    @Test
    void correctnessIsDerivedFromTokensAndEveryFaultThatCanOccur() {
        assertThat(strong().build().safety()).isEqualTo(Safety.CORRECTNESS);
        assertThat(strong().fencing(Fencing.ORDERED).build().safety()).isEqualTo(Safety.EFFICIENCY);
        for (Fault fault : ALL) {
            LockGuarantees.Builder open = strong().without(Property.TOKEN_ORDER, fault);
            assertThat(open.build().safety()).as(fault.name()).isEqualTo(Safety.EFFICIENCY);
            assertThat(open.impossible(fault).build().safety()).as(fault.name()).isEqualTo(Safety.CORRECTNESS);
        }
    }

    @Test
    void requirementsSayWhatIsMissing() {
        LockGuarantees weak = strong().fencing(Fencing.ORDERED)
                .without(Property.TOKEN_ORDER, Fault.FAILOVER, Fault.POWER_LOSS)
                .build();
        assertThat(Require.correctness().unmetBy(weak))
                .containsExactly(
                        "fencing is ORDERED, needed DURABLE", "token order does not survive [POWER_LOSS, FAILOVER]");
        assertThat(Require.correctness().unmetBy(strong().build())).isEmpty();
        assertThat(Require.fencing(Fencing.ORDERED).unmetBy(weak)).isEmpty();
        assertThat(Require.fencing(Fencing.DURABLE).unmetBy(weak)).hasSize(1);
        assertThat(Require.survives(Property.EXCLUSION, Fault.NODE_LOSS, Fault.CLOCK_JUMP)
                        .unmetBy(weak))
                .containsExactly("EXCLUSION does not survive [NODE_LOSS, CLOCK_JUMP]");
        assertThat(Require.reentrant().unmetBy(weak)).containsExactly("reentrancy is NONE");
        assertThat(Require.fifo().unmetBy(weak)).containsExactly("fairness is NONE");
        assertThat(Require.fifo()
                        .unmetBy(strong().fairness(Fairness.FIFO)
                                .scope(Scope.PROCESS)
                                .build()))
                .containsExactly("scope is PROCESS, needed SERVER or CLUSTER");
        assertThatThrownBy(() -> Require.survives(Property.EXCLUSION, Fault.EMPTY_RESTART))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Require.survives(Property.EXCLUSION)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void equalAnswersAreEqual() {
        assertThat(strong().build()).isEqualTo(strong().build()).hasSameHashCodeAs(strong().build());
        assertThat(strong().build().toBuilder().fairness(Fairness.FIFO).build()).isNotEqualTo(strong().build());
    }
}
