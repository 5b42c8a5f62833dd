#define _GNU_SOURCE
#include "ralph_threads.h"

#include <errno.h>
#include <pthread.h>

#if defined(__APPLE__)
#include <pthread/qos.h>
#endif

int ralph_ensure_stacks(size_t bytes) {
#if defined(__GLIBC__)
    pthread_attr_t attributes;
    int code = pthread_getattr_default_np(&attributes);
    if (code != 0) return code;
    size_t before = 0;
    pthread_attr_getstacksize(&attributes, &before);
    if (before < bytes) {
        code = pthread_attr_setstacksize(&attributes, bytes);
        if (code == 0) code = pthread_setattr_default_np(&attributes);
    }
    pthread_attr_destroy(&attributes);
    return code;
#else
    (void)bytes;
    return ENOSYS;
#endif
}

int ralph_start_thread(int is_urgent, void *(*work)(void *), void *context) {
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code != 0) return code;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
#if defined(__APPLE__)
    if (is_urgent) pthread_attr_set_qos_class_np(&attributes, QOS_CLASS_USER_INTERACTIVE, 0);
#else
    (void)is_urgent;
#endif
    pthread_t thread;
    code = pthread_create(&thread, &attributes, work, context);
    pthread_attr_destroy(&attributes);
    return code;
}

#if defined(__linux__)

#include <dirent.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    // The longest slice that there is.
    SLICE_NANOSECONDS = 100 * 1000 * 1000,
    // And the shortest.
    SHORT_SLICE_NANOSECONDS = 100 * 1000,
    // SCHED_FLAG_RESET_ON_FORK of linux/sched.h.
    RESET_ON_FORK = 1,
};

// As the kernel has it (sched_setattr(2)); newer C libraries have a type of their own for it.
typedef struct {
    uint32_t size;
    uint32_t policy;
    uint64_t flags;
    int32_t niceness;
    uint32_t priority;
    uint64_t runtime;
    uint64_t deadline;
    uint64_t period;
} thread_attributes;

int ralph_enter_background(int niceness) {
    thread_attributes attributes = {
        .size = sizeof attributes, .policy = SCHED_BATCH, .niceness = niceness, .runtime = SLICE_NANOSECONDS};
    if (syscall(SYS_sched_setattr, 0, &attributes, 0U) == 0) return 0;
    // On Linux the niceness is the thread's own (setpriority(2), notes).
    return setpriority(PRIO_PROCESS, 0, niceness) == 0 ? 0 : errno;
}

void ralph_hurry_process(void) {
    DIR *threads = opendir("/proc/self/task");
    if (threads == NULL) return;
    // The first thread's is that of the process.
    int niceness = getpriority(PRIO_PROCESS, (id_t)getpid());
    for (struct dirent *entry = readdir(threads); entry != NULL; entry = readdir(threads)) {
        int thread = atoi(entry->d_name);
        int policy = thread > 0 ? sched_getscheduler(thread) : -1;
        if (policy != SCHED_OTHER && policy != SCHED_BATCH) continue;
        // What it starts has ordinary slices.
        thread_attributes attributes = {
            .size = sizeof attributes,
            .policy = SCHED_OTHER,
            .flags = RESET_ON_FORK,
            .niceness = niceness,
            .runtime = SHORT_SLICE_NANOSECONDS};
        if (syscall(SYS_sched_setattr, thread, &attributes, 0U) == 0) continue;
        // Not everybody may take a niceness back.
        attributes.niceness = getpriority(PRIO_PROCESS, (id_t)thread);
        (void)syscall(SYS_sched_setattr, thread, &attributes, 0U);
    }
    closedir(threads);
}

void ralph_name_thread(const char *name) { (void)pthread_setname_np(pthread_self(), name); }

#else

int ralph_enter_background(int niceness) {
    (void)niceness;
    return ENOSYS;
}

void ralph_hurry_process(void) {}

void ralph_name_thread(const char *name) { (void)pthread_setname_np(name); }

#endif
