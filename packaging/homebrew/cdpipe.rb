# The Homebrew formula, for a tap: the release workflow replaces the address and the checksum.
class Cdpipe < Formula
  desc "Phone-number lists for call blocking and caller ID"
  homepage "https://example.com/cdpipe"
  url "https://example.com/cdpipe/cdpipe-VERSION.tar.gz"
  sha256 "SHA256"
  license "Apache-2.0"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.4", :build]
  depends_on "libyaml"
  depends_on "libzip"
  # The program starts without these: it recognises fewer encodings, and unpacks fewer formats.
  depends_on "uchardet"
  depends_on "xz"
  depends_on "zstd"

  uses_from_macos "python" => :build
  uses_from_macos "bzip2"
  uses_from_macos "curl"
  uses_from_macos "expat"
  uses_from_macos "sqlite"
  uses_from_macos "zlib"

  on_macos do
    # Older systems lack a part of Swift's runtime.
    depends_on macos: :tahoe
  end

  on_linux do
    depends_on "swift" => :build
    depends_on "openssl@3"
  end

  def install
    # A warning of a newer compiler is not an error.
    ENV["CDPIPE_WARNINGS_AS_ERRORS"] = "0"
    # Homebrew builds in a sandbox, and SwiftPM's can't start inside it. The server is not a part of this formula.
    system "make", "install", "PREFIX=#{prefix}", "PROGRAMS=build report", "SWIFT_OPTIONS=--disable-sandbox"
  end

  test do
    (testpath/"list.csv").write "number,label\n+8613800138000,spam\n"
    system bin/"cdpipe", "run", "-q", "--pipe", "parse list.csv | normalize | sort | dedupe | emit -o list.cdstore"
    assert_equal "8613800138000\tspam\n", shell_output("#{bin}/cdpipe lookup +8613800138000 list.cdstore")
  end
end
