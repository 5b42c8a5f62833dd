#define _GNU_SOURCE
#include "CRalphSystem.h"

#include <pthread.h>

int ralph_set_thread_name(const char *name) {
#if defined(__APPLE__)
    return pthread_setname_np(name);
#else
    char bounded[16] = {0};
    for (int i = 0; i < 15 && name[i]; i++) bounded[i] = name[i];
    return pthread_setname_np(pthread_self(), bounded);
#endif
}
