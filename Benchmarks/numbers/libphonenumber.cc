// Times libphonenumber's C++ library on lines REGION TAB TEXT, on one core, and prints numbers per second.
//
//   libphonenumber FILE [--valid]
//
// For each line: Parse with the region and Format as E.164; with --valid also IsValidNumber, which is what
// `number-answers --rate` does. Reading the file is not timed. The last line on standard error is a sum over the
// results, so that the compiler can't omit any work.
//
// Not for comparing results: Debian's library has older metadata than NumberPlan's tables.

#include <phonenumbers/phonenumber.pb.h>
#include <phonenumbers/phonenumberutil.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

using i18n::phonenumbers::PhoneNumber;
using i18n::phonenumbers::PhoneNumberUtil;

namespace {

using Lines = std::vector<std::pair<std::string, std::string>>;

Lines Read(const char* path) {
  Lines lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t tab = line.find('\t');
    if (tab != std::string::npos) lines.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  return lines;
}

struct Sums {
  size_t numbers = 0, valid = 0, characters = 0;
};

Sums Run(const Lines& lines, size_t count, bool with_validity) {
  const PhoneNumberUtil& util = *PhoneNumberUtil::GetInstance();
  Sums sums;
  PhoneNumber number;
  std::string e164;
  for (size_t i = 0; i < count; ++i) {
    if (util.Parse(lines[i].second, lines[i].first, &number) != PhoneNumberUtil::NO_PARSING_ERROR) continue;
    ++sums.numbers;
    if (with_validity && util.IsValidNumber(number)) ++sums.valid;
    util.Format(number, PhoneNumberUtil::E164, &e164);
    sums.characters += e164.size();
  }
  return sums;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: libphonenumber FILE [--valid]\n");
    return 64;
  }
  const bool with_validity = argc > 2 && std::strcmp(argv[2], "--valid") == 0;
  const Lines lines = Read(argv[1]);
  if (lines.empty()) {
    std::fprintf(stderr, "libphonenumber: no lines in '%s'\n", argv[1]);
    return 66;
  }
  // The library compiles its patterns at first use, which the rate should not include.
  const size_t warm_up = lines.size() < 10000 ? lines.size() : 10000;
  Run(lines, warm_up, with_validity);

  const auto start = std::chrono::steady_clock::now();
  const Sums sums = Run(lines, lines.size(), with_validity);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::fprintf(stderr, "%zu lines, %zu numbers, %zu valid, %zu characters\n", lines.size(), sums.numbers, sums.valid,
               sums.characters);
  std::printf("%.0f\n", static_cast<double>(lines.size()) / seconds.count());
}
