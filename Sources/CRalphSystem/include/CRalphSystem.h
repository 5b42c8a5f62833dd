#ifndef CRALPHSYSTEM_H
#define CRALPHSYSTEM_H

// What the Glibc module map hides because it is built without _GNU_SOURCE (swift-notes, Build).

/// Names the calling thread for `ps -L` and debuggers; at most 15 bytes count. Returns 0 or an errno.
int ralph_set_thread_name(const char *name);

#endif
