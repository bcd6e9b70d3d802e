package sample;

import dev.holdfast.lock.LockOptions;
import dev.holdfast.lock.tck.Clock;
import dev.holdfast.lock.tck.Harness;
import dev.holdfast.lock.tck.LockProviderTck;

class SampleTckTest extends LockProviderTck {
    @Override
    protected Harness harness() {
        return Harness.of(new SampleLockProvider(), () -> LockOptions.builder("sample"), Clock.virtual());
    }
}
