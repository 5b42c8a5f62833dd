#ifndef RALPH_THREADS_H
#define RALPH_THREADS_H

#include <stddef.h>

// Has threads that begin from now on have stacks of at least so many bytes, where nobody says otherwise; gives 0 or an errno,
// ENOSYS where the C library is not that of GNU. Without it they have what the limit of the process says, or 2 MiB where that
// is none (pthread_create(3), pthread_setattr_default_np(3), which Swift does not see).
int ralph_ensure_stacks(size_t bytes);

// Makes the calling thread one of the background, of this niceness; gives 0 or an errno, ENOSYS outside of Linux.
//
// Niceness alone is not enough: a thread that becomes ready does not get the processor before the running one has had
// its slice. With a long slice, which Linux has taken note of since 6.12, the running one makes way at once for all
// whose slices are shorter (sched_setattr(2), which has no function in the C library).
int ralph_enter_background(int niceness);

// Has each thread of the process wait less for the processor, of which it then gets less at a time: of those that wait, the
// one whose slice ends first comes first. Background threads are none any more, if we may do that. Nothing where the system
// has no such thing, or does not let us; threads of another policy (real time, idle) stay as they are.
void ralph_hurry_process(void);

// Starts a detached thread that does `work` with `context`; gives 0 or an errno, EAGAIN where the system takes no more
// (pthread_create(3)), which Foundation's thread does not tell. Somebody waits for what an urgent one does.
int ralph_start_thread(int is_urgent, void *(*work)(void *), void *context);

// What the kernel calls the calling thread; a longer name than it takes is ignored (pthread_setname_np(3), which is not
// in POSIX and so not in Swift's view of the C library).
void ralph_name_thread(const char *name);

#endif
