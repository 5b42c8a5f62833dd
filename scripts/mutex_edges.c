// What the thread sanitizer cannot see of Swift's `Mutex` on Linux: a thread that had to wait for it waits in Swift's own
// library, which is built without the sanitizer, and what the former owner wrote then looks like a race. Loaded before
// that library, these two stand for its slow paths, call them, and say what they mean. `race-check` compiles them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *
// _MutexHandle._lockSlow(_: UInt32) and _MutexHandle._unlockSlow() of the module Synchronization.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// Absent in the processes that a test starts.
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

typedef SWIFT void lock_slow(uint32_t, SELF);
typedef SWIFT void unlock_slow(SELF);
lock_slow observed_lock __asm__(LOCK);
unlock_slow observed_unlock __asm__(UNLOCK);

SWIFT void observed_lock(uint32_t owner, SELF handle) {
    ((lock_slow *)dlsym(RTLD_NEXT, LOCK))(owner, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void observed_unlock(SELF handle) {
    if (__tsan_release) __tsan_release(handle);
    ((unlock_slow *)dlsym(RTLD_NEXT, UNLOCK))(handle);
}
