// Symbolic links that somebody put into a published folder, or next to it: publishing writes, reads and removes nothing
// where they lead. And the copies of sources, which only the user who publishes can read.

#if os(Linux)
  import TestSupport
  import Testing

  @Suite("A published folder with links")
  struct PublishLinkTests {
    /// What can be replaced by a link, and the status of the next run.
    private static let places: [(name: String, status: Int32)] = [
      ("public/versions", 73), ("public/versions/.new.tmp", 73), ("public/.publish.json", 73),
      ("public/.lock", 73), ("public/.sources", 73), (".public.sources", 73), (".public.sources/cache", 73),
      (".public.sources/one-*.body", 73), (".public.sources/one-*.good", 0),
      ("$(realpath public/current)", 0), ("$(realpath public/current)/manifest.json", 0),
      ("$(realpath public/current)/numbers.csv", 0), ("$(ls public/current/0*.cdstore | head -1)", 0),
    ]

    @Test("nothing outside is written, read or removed", .timeLimit(.minutes(10)), arguments: places)
    func planted(place: (name: String, status: Int32)) async throws {
      let site = try PublishSite("link \(place.name)")
      let shim = try await FaultShim(in: site.workshop)
      try await site.recover("before")
      // A folder or a file of the right form: a copy of what was there.
      let planted = try await Program.shell(
        """
        mkdir outside saved; name=$(echo \(place.name)); kept=$(readlink -m saved/$(basename $name))
        mkdir -p outside/empty; if [ -e $name ]; then cp -a $name outside/; mv $name $kept; fi
        [ -e outside/$(basename $name) ] || mkdir outside/$(basename $name)
        ln -s $(realpath outside/$(basename $name)) $name; echo $name $kept
        """, in: site.workshop)
      try #require(planted.status == 0, "\(planted.errors)")
      let before = FileTree.files(site.workshop.work + "/outside")
      #expect(before.count > 1)
      try site.change()
      let run = try await shim.run("cdpipe run --quiet nightly.yaml", in: site.workshop)
      #expect(run.outcome.status == place.status, "\(run.outcome.status) \(run.outcome.errors)")
      #expect(FileTree.files(site.workshop.work + "/outside") == before)
      // Whether two outputs are one file is determined by their status.
      let outside = run.calls.filter { call in
        call.contains("/outside") && !["readlink", "fstatat"].contains { call.hasPrefix($0) }
      }
      #expect(outside.isEmpty, "\(outside)")
      if place.status != 0 {
        #expect(
          ["link", "Not a directory"].contains { run.outcome.errors.contains($0) }, "\(run.outcome.errors)")
      }
      // Without the link, the next run publishes.
      let names = planted.outputText.split(whereSeparator: \.isWhitespace)
      if place.status != 0 {
        _ = try await Program.shell(
          "rm \(names[0]); [ ! -e \(names[1]) ] || mv \(names[1]) \(names[0])", in: site.workshop)
      }
      try await site.recover("after")
    }

    @Test("a link to the folder itself is followed, and the copies are beside the folder")
    func linkToFolder() async throws {
      let site = try PublishSite("link to folder")
      let line =
        "mkdir -p disk/lists; ln -s disk/lists public; cdpipe run --quiet nightly.yaml && ls -A . disk"
      let outcome = try await Program.shell(line, in: site.workshop)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.outputText.contains("disk:\n.lists.sources\nlists\n"), "\(outcome.outputText)")
      #expect(!outcome.outputText.contains(".public.sources"))
      try await site.recover("again")
    }

    @Test("copies of sources are for the user who publishes, and those of 0.1.0 are moved")
    func copies() async throws {
      let site = try PublishSite("copies")
      try await site.recover("before")
      let modes = "stat -c %a .public.sources; find .public.sources -type f -exec stat -c %a {} + | sort -u"
      #expect(try await Program.shell(modes, in: site.workshop).outputText == "700\n600\n")
      let old = """
        mv .public.sources public/.sources; chmod -R a+rX public/.sources; rm one.json
        cdpipe run --quiet nightly.yaml --set sources.one.use-last-good=true; echo $?; ls -d public/.sources
        """
      let moved = try await Program.shell(old + "; " + modes, in: site.workshop)
      #expect(moved.outputText == "0\n700\n600\n", "\(moved.errors)")
      #expect(moved.errors.contains("using the last good copy"), "\(moved.errors)")
      // Nothing can be made beside the folder.
      try site.change()
      let inner = try await Program.shell(
        "rm -r .public.sources; chmod a-w .; as-user cdpipe run --quiet nightly.yaml; status=$?; chmod u+w .; stat -c %a public/.sources; exit $status",
        in: site.workshop)
      #expect(inner.status == 0 && inner.outputText == "700\n", "\(inner.errors)")
      try await site.recover("writable again")
      #expect(try await Program.shell(modes, in: site.workshop).outputText == "700\n600\n")
    }

    @Test("as root, files of other users are not used")
    func owner() async throws {
      let site = try PublishSite("owner")
      try await site.recover("before")
      guard try await Program.shell("id -u", in: site.workshop).outputText == "0\n" else { return }
      try site.change()
      let line = "chown 12345 public/.publish.json; cdpipe run --quiet nightly.yaml"
      let outcome = try await Program.shell(line, in: site.workshop)
      #expect(outcome.status == 66 && outcome.errors.contains("EPERM"), "\(outcome.status) \(outcome.errors)")
      #expect(try await site.current() == site.old)
      // With the folder's owner it is fine: somebody else's folder, refreshed by root.
      let all = try await Program.shell("chown -R 12345 public .public.sources", in: site.workshop)
      #expect(all.status == 0)
      try await site.recover("all of one owner")
    }
  }
#endif
