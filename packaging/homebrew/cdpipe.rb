# The Homebrew formula, for a tap: the release workflow replaces the address and the checksum.
class Cdpipe < Formula
  desc "Phone-number lists for call blocking and caller ID"
  homepage "https://example.com/cdpipe"
  url "https://example.com/cdpipe/cdpipe-VERSION.tar.gz"
  sha256 "SHA256"
  license "Apache-2.0"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "libyaml"
  depends_on "libzip"

  uses_from_macos "curl"
  uses_from_macos "expat"
  uses_from_macos "sqlite"

  on_linux do
    depends_on "openssl@3"
    depends_on "swift" => :build
  end

  def install
    system "make", "install", "PREFIX=#{prefix}"
  end

  test do
    (testpath/"list.csv").write "number,label\n+8613800138000,spam\n"
    system bin/"cdpipe", "run", "-q", "--pipe", "parse list.csv | normalize | sort | dedupe | emit -o list.cdstore"
    assert_equal "8613800138000\tspam\n", shell_output("#{bin}/cdpipe lookup +8613800138000 list.cdstore")
  end
end
