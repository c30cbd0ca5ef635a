// Not for calls: locale_data.c is only linked.
#pragma once
