#define _GNU_SOURCE
#include "ralph_sockets.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>

#if defined(__linux__)
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>

enum { SEND_FLAGS = MSG_DONTWAIT | MSG_NOSIGNAL };
#else
enum { SEND_FLAGS = MSG_DONTWAIT };
#endif

int ralph_unacknowledged(int socket) {
    int bytes = 0;
#if defined(__linux__)
    return ioctl(socket, SIOCOUTQ, &bytes) == 0 ? bytes : -1;
#else
    socklen_t length = sizeof bytes;
    return getsockopt(socket, SOL_SOCKET, SO_NWRITE, &bytes, &length) == 0 ? bytes : -1;
#endif
}

#if defined(__linux__)
// Whether this kernel counts what is confirmed; those of sandboxes may not.
static atomic_bool counts;

#define HAS(member, info, length) \
    ((length) >= offsetof(struct tcp_info, member) + sizeof (info).member)
#endif

int64_t ralph_acknowledged(int socket, int64_t *sent) {
    // First what waits: what is confirmed between the two looks counts twice, never not at all.
    int waiting = ralph_unacknowledged(socket);
    if (waiting < 0) return -1;
#if defined(__linux__)
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -1;
    if (!HAS(tcpi_bytes_acked, info, length)) return -1;
    // Linux counts what is confirmed since 4.1, and what is sent since 4.6: whoever does the one does the other.
    if (info.tcpi_bytes_acked > 0 || (HAS(tcpi_data_segs_out, info, length) && info.tcpi_data_segs_out > 0)) {
        atomic_store_explicit(&counts, true, memory_order_relaxed);
    }
    *sent = (int64_t)info.tcpi_bytes_acked + waiting;
    return (int64_t)info.tcpi_bytes_acked;
#else
    *sent = 1;
    return waiting == 0;
#endif
}

int64_t ralph_awaiting(int socket) {
#if defined(__linux__)
    int waiting = ralph_unacknowledged(socket);
    bool is_known = atomic_load_explicit(&counts, memory_order_relaxed);
    if (waiting < 0 || (waiting == 0 && is_known)) return -1;
    // Where nothing waits it is asked all the same, until one has shown whether it counts.
    int64_t sent = 0;
    int64_t acknowledged = ralph_acknowledged(socket, &sent);
    return waiting > 0 && atomic_load_explicit(&counts, memory_order_relaxed) ? acknowledged : -1;
#else
    (void)socket;
    return -1;
#endif
}

static int64_t send_one(int socket, const void *bytes, size_t length) {
    ssize_t count = send(socket, bytes, length, SEND_FLAGS);
    return count < 0 ? -(int64_t)errno : (int64_t)count;
}

#if defined(__linux__)

#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    // How many writes one system call makes. Nobody else runs on the core meanwhile.
    AT_ONCE = 64,
};

// No number of bytes and no errno.
static const int64_t UNKNOWN = INT64_MIN;

void ralph_queue_close(uint64_t queue) {
    if (queue != 0) syscall(SYS_io_destroy, (aio_context_t)queue);
}

// Gives how many writes the queue has taken, from the first on; of these, sent[] is set.
static int submit(aio_context_t context, const int *sockets, int count, const void *bytes, size_t length,
                  int64_t *sent) {
    struct iocb writes[AT_ONCE];
    struct iocb *list[AT_ONCE];
    memset(writes, 0, sizeof writes[0] * (size_t)count);
    for (int index = 0; index < count; index++) {
        writes[index].aio_lio_opcode = IOCB_CMD_PWRITE;
        writes[index].aio_fildes = (uint32_t)sockets[index];
        writes[index].aio_buf = (uint64_t)(uintptr_t)bytes;
        writes[index].aio_nbytes = length;
        writes[index].aio_data = (uint64_t)index;
        list[index] = &writes[index];
        sent[index] = UNKNOWN;
    }
    long taken = syscall(SYS_io_submit, context, (long)count, list);
    if (taken <= 0) return 0;
    // A socket is written to within the call, so that all have ended by now.
    struct io_event ended[AT_ONCE];
    struct timespec none = {0};
    long number = syscall(SYS_io_getevents, context, taken, taken, ended, &none);
    for (long index = 0; index < number; index++) {
        if (ended[index].data < (uint64_t)taken) sent[ended[index].data] = ended[index].res;
    }
    return (int)taken;
}

// Whether writes to sockets are over when the call returns, which is not so in every sandbox that has the call.
static int is_prompt(aio_context_t context) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) < 0) return 0;
    int64_t sent[2] = {0, 0};
    submit(context, ends, 2, "", 1, sent);
    close(ends[0]);
    close(ends[1]);
    return sent[0] == 1 && sent[1] == 1;
}

uint64_t ralph_queue_open(void) {
    aio_context_t context = 0;
    if (syscall(SYS_io_setup, AT_ONCE, &context) < 0) return 0;
    signal(SIGPIPE, SIG_IGN);
    if (is_prompt(context)) return context;
    ralph_queue_close(context);
    return 0;
}

void ralph_queue_send(uint64_t *queue, const int *sockets, int count, const void *bytes, size_t length,
                      int64_t *sent) {
    int done = 0;
    while (*queue != 0 && count - done > 1) {
        int calls = (count - done + AT_ONCE - 1) / AT_ONCE;
        int part = (count - done + calls - 1) / calls;
        int taken = submit((aio_context_t)*queue, sockets + done, part, bytes, length, sent + done);
        int is_lost = 0;
        for (int index = done; index < done + taken; index++) {
            if (sent[index] != UNKNOWN) continue;
            shutdown(sockets[index], SHUT_RDWR);
            sent[index] = -EIO;
            is_lost = 1;
        }
        if (is_lost) {
            ralph_queue_close(*queue);
            *queue = 0;
        }
        done += taken;
        if (taken < part) break;
    }
    for (; done < count; done++) sent[done] = send_one(sockets[done], bytes, length);
}

#else

uint64_t ralph_queue_open(void) { return 0; }

void ralph_queue_close(uint64_t queue) { (void)queue; }

void ralph_queue_send(uint64_t *queue, const int *sockets, int count, const void *bytes, size_t length,
                      int64_t *sent) {
    (void)queue;
    for (int index = 0; index < count; index++) sent[index] = send_one(sockets[index], bytes, length);
}

#endif
