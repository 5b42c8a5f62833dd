#define _GNU_SOURCE
#include "ralph_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)

// The numbers are the same on every architecture; older headers lack the names.
enum { PIDFD_OPEN_CALL = 434, PIDFD_SEND_SIGNAL_CALL = 424, PIDFD_ID_TYPE = 3 };

static int prepare_actions(posix_spawn_file_actions_t *actions, const char *directory, int input, int output,
                           int errors) {
    int failure = posix_spawn_file_actions_adddup2(actions, input, 0);
    if (failure == 0) failure = posix_spawn_file_actions_adddup2(actions, output, 1);
    if (failure == 0) failure = posix_spawn_file_actions_adddup2(actions, errors, 2);
    if (failure == 0) failure = posix_spawn_file_actions_addclosefrom_np(actions, 3);
    if (failure == 0) failure = posix_spawn_file_actions_addchdir_np(actions, directory);
    return failure;
}

static int prepare_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failure = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    if (failure == 0) failure = posix_spawnattr_setsigdefault(attributes, &all);
    if (failure == 0) failure = posix_spawnattr_setsigmask(attributes, &none);
    return failure;
}

int ralph_spawn(const char *program, char *const arguments[], char *const environment[],
                const char *directory, int input, int output, int errors, pid_t *pid) {
    // A descriptor below 3 would be overwritten by the one that becomes 0, 1 or 2 before it.
    if (input < 3 || output < 3 || errors < 3) return EBADF;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure != 0) return failure;
    failure = posix_spawnattr_init(&attributes);
    if (failure != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return failure;
    }
    failure = prepare_actions(&actions, directory, input, output, errors);
    if (failure == 0) failure = prepare_attributes(&attributes);
    if (failure == 0) failure = posix_spawn(pid, program, &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

int ralph_limit_descriptors(pid_t pid, uint64_t descriptors) {
    struct rlimit limit;
    if (prlimit(pid, RLIMIT_NOFILE, NULL, &limit) < 0) return errno;
    if (descriptors >= limit.rlim_cur) return 0;
    limit.rlim_cur = descriptors;
    return prlimit(pid, RLIMIT_NOFILE, &limit, NULL) < 0 ? errno : 0;
}

int ralph_pidfd_open(pid_t pid, int *descriptor) {
    long result = syscall(PIDFD_OPEN_CALL, pid, 0);
    if (result < 0) return errno;
    *descriptor = (int)result;
    return 0;
}

int ralph_pidfd_send_signal(int descriptor, int signal) {
    return syscall(PIDFD_SEND_SIGNAL_CALL, descriptor, signal, NULL, 0) < 0 ? errno : 0;
}

int ralph_pidfd_reap(int descriptor, bool *is_over, int *code, int *signal) {
    siginfo_t info = {0};
    *is_over = false;
    *code = -1;
    *signal = -1;
    while (waitid((idtype_t)PIDFD_ID_TYPE, (id_t)descriptor, &info, WEXITED | WNOHANG) < 0) {
        if (errno != EINTR) return errno;
    }
    if (info.si_pid == 0) return 0;
    *is_over = true;
    if (info.si_code == CLD_EXITED) {
        *code = info.si_status;
    } else {
        *signal = info.si_status;
    }
    return 0;
}

int ralph_pidfd_is_over(int descriptor, bool *is_over) {
    struct pollfd entry = {.fd = descriptor, .events = POLLIN};
    int count = poll(&entry, 1, 0);
    if (count < 0) return errno;
    *is_over = count > 0;
    return 0;
}

int ralph_punch_hole(int descriptor, int64_t offset, int64_t length) {
    int result;
    do {
        result = fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)length);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? errno : 0;
}

#else

int ralph_limit_descriptors(pid_t pid, uint64_t descriptors) {
    (void)pid, (void)descriptors;
    return ENOSYS;
}

int ralph_spawn(const char *program, char *const arguments[], char *const environment[],
                const char *directory, int input, int output, int errors, pid_t *pid) {
    (void)program, (void)arguments, (void)environment, (void)directory;
    (void)input, (void)output, (void)errors, (void)pid;
    return ENOSYS;
}

int ralph_pidfd_open(pid_t pid, int *descriptor) {
    (void)pid, (void)descriptor;
    return ENOSYS;
}

int ralph_pidfd_send_signal(int descriptor, int signal) {
    (void)descriptor, (void)signal;
    return ENOSYS;
}

int ralph_pidfd_reap(int descriptor, bool *is_over, int *code, int *signal) {
    (void)descriptor, (void)is_over, (void)code, (void)signal;
    return ENOSYS;
}

int ralph_pidfd_is_over(int descriptor, bool *is_over) {
    (void)descriptor, (void)is_over;
    return ENOSYS;
}

int ralph_punch_hole(int descriptor, int64_t offset, int64_t length) {
    (void)descriptor, (void)offset, (void)length;
    return ENOSYS;
}

#endif
