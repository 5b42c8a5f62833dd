#ifndef RALPH_OPENAPI_H
#define RALPH_OPENAPI_H

#include <stddef.h>

/// The bytes of `docs/openapi.yaml`, as they were when this was compiled; they last as long as the program.
///
/// - Parameter size: gets how many they are; there is no NUL behind them.
const char *_Nonnull ralph_openapi(size_t *_Nonnull size);

#endif
