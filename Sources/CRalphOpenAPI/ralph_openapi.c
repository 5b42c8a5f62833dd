#include "ralph_openapi.h"

// Of C23 (6.10.3.2), which clang knows in every dialect.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const char document[] = {
#embed "../../docs/openapi.yaml"
};

const char *ralph_openapi(size_t *size) {
    *size = sizeof document;
    return document;
}
