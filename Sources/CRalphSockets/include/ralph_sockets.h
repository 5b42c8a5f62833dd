#ifndef RALPH_SOCKETS_H
#define RALPH_SOCKETS_H

// The same bytes for many sockets in one system call. Swift cannot make it: io_submit(2) has no function in the C
// library, and syscall(2) takes as many arguments as it is given.

#include <stddef.h>
#include <stdint.h>

// A queue of the kernel's for one thread at a time; 0 where it gives none (io_setup(2)), or none that writes at once.
// A write to a connection that is closed must not end the process, and such a write cannot be told so: SIGPIPE is
// ignored from then on.
uint64_t ralph_queue_open(void);

void ralph_queue_close(uint64_t queue);

// Sends `length` bytes to `count` sockets, which must not block. sent[i] is how many the i-th one took, or a negative
// errno. Without a queue, and for what the queue does not take, there is a send(2) for each. If the kernel should
// not tell what became of a write, the connection is shut down, and the queue is closed and set to 0.
void ralph_queue_send(uint64_t *queue, const int *sockets, int count, const void *bytes, size_t length,
                      int64_t *sent);

// How many bytes were sent to a socket that its other end has not confirmed; -1 if it does not tell (tcp(7), SIOCOUTQ).
int ralph_unacknowledged(int socket);

// How many bytes the other end has confirmed since the connection began, -1 if the socket does not tell; `sent` is how
// many it will have when it has confirmed what was sent so far, or more (tcp_info's tcpi_bytes_acked). Where the
// system does not count, 1 of 1 as long as nothing waits, else 0.
int64_t ralph_acknowledged(int socket, int64_t *sent);

// How many bytes the other end has confirmed since the connection began, while others wait to be; -1 if none waits, or if
// the socket or the system does not tell. The same number twice: nothing was confirmed in between.
int64_t ralph_awaiting(int socket);

#endif
