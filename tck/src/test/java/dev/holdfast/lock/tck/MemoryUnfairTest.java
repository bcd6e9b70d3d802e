package dev.holdfast.lock.tck;

class MemoryUnfairTest extends LockProviderTck {
    @Override
    protected Harness harness() {
        return new MemoryHarness(false);
    }
}
