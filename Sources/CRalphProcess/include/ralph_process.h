#ifndef RALPH_PROCESS_H
#define RALPH_PROCESS_H

// What Swift's Glibc module leaves out because it is built without _GNU_SOURCE. Every function gives 0 or an
// errno, keeps no state, and says ENOSYS where the system lacks the call.

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

// Where a child begins. All descriptors are above 2 and stay the caller's.
typedef struct {
    // The open directory that it works in: a path could mean another one by now.
    int directory;
    int input;
    int output;
    int errors;
    // What new files of it are not to be allowed (umask(2)).
    mode_t mask;
    // Bytes of memory that it may write to (RLIMIT_DATA, setrlimit(2)), files that are mapped to be read not counted; the
    // stacks of its threads, which count, are of 8 MiB at most then (RLIMIT_STACK). 0: as many as we.
    uint64_t data;
} ralph_place;

// Starts `program` as the leader of a session of its own, in `place`, with its three descriptors as 0, 1 and 2
// and no others, every signal at its default and none blocked (vfork(2), execve(2), close_range(2)).
int ralph_spawn(const char *program, char *const arguments[], char *const environment[],
                const ralph_place *place, pid_t *pid);

// Lowers the soft limit on open descriptors of a process, not beyond its hard one (prlimit(2)).
int ralph_limit_descriptors(pid_t pid, uint64_t descriptors);

// A descriptor for one process, closed on exec (pidfd_open(2)).
int ralph_pidfd_open(pid_t pid, int *descriptor);

// A signal to that process and no other (pidfd_send_signal(2)).
int ralph_pidfd_send_signal(int descriptor, int signal);

// How a child ended, and takes it out of the process table (waitid(2)). `is_over` is false while it runs;
// then `code` is the exit code or `signal` what it died of, the other -1. ECHILD: it is nobody's of ours.
int ralph_pidfd_reap(int descriptor, bool *is_over, int *code, int *signal);

// Whether the process of the descriptor is over.
int ralph_pidfd_is_over(int descriptor, bool *is_over);

// Has the disk keep blocks for a stretch of a file, whose size stays (fallocate(2), FALLOC_FL_KEEP_SIZE).
int ralph_reserve(int descriptor, int64_t offset, int64_t length);

// Gives the blocks of a stretch of a file back, keeping its size (fallocate(2), FALLOC_FL_PUNCH_HOLE).
int ralph_punch_hole(int descriptor, int64_t offset, int64_t length);

#endif
