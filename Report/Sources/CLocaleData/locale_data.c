// Replaces ICU's data in the program: 34 MB of names of countries, formats of dates and the like in all
// languages. swift-mustache needs Foundation, and Foundation contains ICU, but nothing here asks for a locale.
//
// The linker uses a symbol from an archive only if no object has it. The name contains the version of ICU in Swift 6.3;
// with another version, this one is not referred to, and the program has all of the data again.

/// The header of a file of ICU's data that has a size of 0 and no magic numbers: ICU refuses it, as if it had no data.
const _Alignas(16) unsigned char icudt76_dat[32] = {0};
