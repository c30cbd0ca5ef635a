// zlib under the module name that it has in Apple's SDKs, for sample apps that are compiled on Linux.
#include <zlib.h>
