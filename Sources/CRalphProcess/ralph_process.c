#define _GNU_SOURCE
#include "ralph_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__linux__)

// The numbers are the same on every architecture; older headers lack the names.
enum {
    PIDFD_OPEN_CALL = 434,
    PIDFD_SEND_SIGNAL_CALL = 424,
    CLOSE_RANGE_CALL = 436,
    PIDFD_ID_TYPE = 3,
    CLOSE_ON_EXEC = 1 << 2,
    LAST_DESCRIPTOR = 1 << 20,
    LARGEST_STACK = 8 << 20,
};

// Lets the program have no descriptor above 2. They are marked, not closed: the one that tells the parent of a
// failure has to last until the program begins.
static void keep_descriptors(void) {
    if (syscall(CLOSE_RANGE_CALL, 3U, ~0U, CLOSE_ON_EXEC) == 0) return;
    // Linux before 5.11. No descriptor of ours is above the soft limit, which we never lower.
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > LAST_DESCRIPTOR) limit.rlim_cur = LAST_DESCRIPTOR;
    for (int number = 3; number < (int)limit.rlim_cur; number++) fcntl(number, F_SETFD, FD_CLOEXEC);
}

// Lowers a soft limit of the calling process, never raises one. Gives an errno.
static int lower(int resource, uint64_t bytes) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) < 0) return errno;
    if (bytes >= limit.rlim_cur) return 0;
    limit.rlim_cur = bytes;
    return setrlimit(resource, &limit) < 0 ? errno : 0;
}

// Limits memory, which the stacks of threads count as: each takes as much as RLIMIT_STACK (pthread_create(3)), used or not.
static int limit_data(uint64_t bytes) {
    int broken = lower(RLIMIT_DATA, bytes);
    return broken != 0 ? broken : lower(RLIMIT_STACK, LARGEST_STACK);
}

// Runs in the child, which shares this memory until it becomes the program: only calls of the system, and no
// change to anything that the parent reads. Gives an errno when it could not become the program.
static int become(const char *program, char *const arguments[], char *const environment[],
                  const ralph_place *place) {
    struct sigaction standard = {0};
    standard.sa_handler = SIG_DFL;
    // The C library keeps two numbers for itself and refuses them here; execve(2) resets those it handles.
    for (int number = 1; number < NSIG; number++) sigaction(number, &standard, NULL);
    if (setsid() < 0) return errno;
    if (fchdir(place->directory) < 0) return errno;
    if (dup2(place->input, 0) < 0 || dup2(place->output, 1) < 0 || dup2(place->errors, 2) < 0) return errno;
    umask(place->mask);
    keep_descriptors();
    sigset_t none;
    sigemptyset(&none);
    if (sigprocmask(SIG_SETMASK, &none, NULL) < 0) return errno;
    int broken = place->data > 0 ? limit_data(place->data) : 0;
    if (broken != 0) return broken;
    execve(program, arguments, environment);
    return errno;
}

// A pipe that ends with exec, its ends above 2, where the child puts nothing. Gives an errno.
static int open_pipe(int ends[2]) {
    int low[2];
    if (pipe2(low, O_CLOEXEC) < 0) return errno;
    ends[0] = fcntl(low[0], F_DUPFD_CLOEXEC, 3);
    ends[1] = fcntl(low[1], F_DUPFD_CLOEXEC, 3);
    int failure = ends[0] < 0 || ends[1] < 0 ? errno : 0;
    close(low[0]);
    close(low[1]);
    if (failure == 0) return 0;
    if (ends[0] >= 0) close(ends[0]);
    if (ends[1] >= 0) close(ends[1]);
    return failure;
}

// What the child has said of its failure; 0: it became the program.
static int told_failure(int reading) {
    int failure = 0;
    ssize_t count;
    do {
        count = read(reading, &failure, sizeof failure);
    } while (count < 0 && errno == EINTR);
    return count == (ssize_t)sizeof failure ? failure : 0;
}

int ralph_spawn(const char *program, char *const arguments[], char *const environment[],
                const ralph_place *place, pid_t *pid) {
    // A descriptor below 3 would be overwritten by the one that becomes 0, 1 or 2 before it.
    if (place->input < 3 || place->output < 3 || place->errors < 3 || place->directory < 3) return EBADF;
    int ends[2];
    int broken = open_pipe(ends);
    if (broken != 0) return broken;
    sigset_t all, before;
    sigfillset(&all);
    // No handler of ours may run in the child while it shares our memory.
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t child = vfork();
    if (child == 0) {
        int failure = become(program, arguments, environment, place);
        while (write(ends[1], &failure, sizeof failure) < 0 && errno == EINTR) {}
        _exit(127);
    }
    int failure = child < 0 ? errno : 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (failure == 0) failure = told_failure(ends[0]);
    close(ends[0]);
    if (failure == 0) {
        *pid = child;
    } else if (child > 0) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
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

static int allocate(int descriptor, int mode, int64_t offset, int64_t length) {
    int result;
    do {
        result = fallocate(descriptor, mode | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)length);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? errno : 0;
}

int ralph_reserve(int descriptor, int64_t offset, int64_t length) {
    return allocate(descriptor, 0, offset, length);
}

int ralph_punch_hole(int descriptor, int64_t offset, int64_t length) {
    return allocate(descriptor, FALLOC_FL_PUNCH_HOLE, offset, length);
}

#else

int ralph_reserve(int descriptor, int64_t offset, int64_t length) {
    (void)descriptor, (void)offset, (void)length;
    return ENOSYS;
}

int ralph_limit_descriptors(pid_t pid, uint64_t descriptors) {
    (void)pid, (void)descriptors;
    return ENOSYS;
}

int ralph_spawn(const char *program, char *const arguments[], char *const environment[],
                const ralph_place *place, pid_t *pid) {
    (void)program, (void)arguments, (void)environment, (void)place, (void)pid;
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
