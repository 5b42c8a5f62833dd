#define _GNU_SOURCE
#include "ralph_process.h"
