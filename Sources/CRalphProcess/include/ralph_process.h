#ifndef RALPH_PROCESS_H
#define RALPH_PROCESS_H

// What Swift's Glibc module leaves out because it is built without _GNU_SOURCE.

#endif
