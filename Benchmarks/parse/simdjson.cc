// The program to compare with in the parse benchmark: simdjson on the same bytes, on one core.
//
//     simdjson-rate WAY FILE [RUNS]
//
// WAY is one of
//   lines   each line's object is parsed on demand in place, with key and value as string views, so that an error
//           affects only its line
//   array   the whole file as one document, parsed on demand; needs a file without a trailing comma
//   many    iterate_many over one object after another; needs a file of JSON lines
//
// Prints, for each run, seconds and rows, separated by a tab. The bytes are in memory, followed by simdjson's padding,
// before the clock starts; each row's key and value are accessed (their lengths and first bytes are summed), and
// nothing is copied or stored. An invalid row ends the program: the file must be valid.

#include <simdjson.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

using namespace simdjson;

namespace {

struct Sum {
  size_t rows = 0;
  size_t bytes = 0;

  void take(ondemand::object object) {
    for (auto field : object) {
      std::string_view key = field.unescaped_key();
      std::string_view value = field.value().get_string();
      rows += 1;
      bytes += key.size() + value.size() + (key.empty() ? 0 : key[0]) + (value.empty() ? 0 : value[0]);
    }
  }
};

Sum lines(ondemand::parser &parser, const padded_string &text) {
  Sum sum;
  const char *at = text.data();
  const char *end = at + text.size();
  while (at < end) {
    const char *stop = static_cast<const char *>(memchr(at, '\n', end - at));
    if (stop == nullptr) stop = end;
    if (*at == '{') {
      const char *last = stop;
      if (last[-1] == ',') --last;
      // All lines are in one padded buffer, so every line has its padding.
      padded_string_view line(at, last - at, end - at + SIMDJSON_PADDING);
      ondemand::document document = parser.iterate(line);
      sum.take(document.get_object());
    }
    at = stop + 1;
  }
  return sum;
}

Sum array(ondemand::parser &parser, const padded_string &text) {
  Sum sum;
  ondemand::document document = parser.iterate(text);
  for (auto element : document.get_array()) sum.take(element.get_object());
  return sum;
}

Sum many(ondemand::parser &parser, const padded_string &text) {
  Sum sum;
  ondemand::document_stream stream = parser.iterate_many(text.data(), text.size(), 1 << 20);
  for (auto document : stream) sum.take(document.get_object());
  return sum;
}

}  // namespace

int main(int count, char **arguments) {
  if (count < 3) {
    fprintf(stderr, "usage: simdjson-rate lines|array|many FILE [RUNS]\n");
    return 64;
  }
  const std::string way = arguments[1];
  const int runs = count > 3 ? atoi(arguments[3]) : 1;
  try {
    const padded_string text = padded_string::load(arguments[2]);
    ondemand::parser parser;
    size_t all = 0;
    for (int run = 0; run < runs; ++run) {
      const auto start = std::chrono::steady_clock::now();
      const Sum sum = way == "lines" ? lines(parser, text) : way == "array" ? array(parser, text) : many(parser, text);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      all += sum.bytes;
      printf("%.6f\t%zu\n", taken.count(), sum.rows);
    }
    fprintf(stderr, "simdjson %s, %s, check %zu\n", SIMDJSON_STRINGIFY(SIMDJSON_VERSION),
            get_active_implementation()->name().c_str(), all);
  } catch (const simdjson_error &error) {
    fprintf(stderr, "simdjson-rate: %s\n", error.what());
    return 65;
  }
}
