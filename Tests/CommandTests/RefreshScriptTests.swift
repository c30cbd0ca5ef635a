// The nightly refresh as cron and systemd start it: from an empty environment, and with a report of failures.

import Testing

@Suite("cron and systemd")
struct RefreshScriptTests {
  /// Creates a checkout as on a server: the pipelines, the samples, the program where the build puts it, and a program
  /// that accepts mail.
  private static func checkout() async throws -> Workshop {
    let workshop = try Workshop()
    let mail =
      "#!/bin/sh\nfor word in \"$@\"; do echo \"$word\"; done > '\(workshop.work)/mailed'\n"
      + "cat >> '\(workshop.work)/mailed'\n"
    try workshop.write(workshop.path + "/mail", Array(mail.utf8), mode: 0o755)
    let outcome = try await Program.shell(
      """
      mkdir pipelines && cp -R '\(Program.root)/pipelines/.' pipelines && mkdir -p .build/release fake && mv ../mail fake/mail \
      && ln -s '\(try Program.path())' .build/release/cdpipe
      """, in: workshop)
    #expect(outcome.status == 0, "\(outcome.errors)")
    return workshop
  }

  @Test("the crontab line runs in cron's environment, and prints nothing on success")
  func crontab() async throws {
    let workshop = try await Self.checkout()
    let script = #"""
      line=$(sed -n 's/^[0-9*]* [0-9*]* [0-9*]* [0-9*]* [0-9*]* *//p' pipelines/cron/crontab)
      [ "$(echo "$line" | wc -l)" = 1 ] || exit 99
      line=${line//\/srv\/cdpipe/$PWD}
      cd /; env -i HOME=/root LOGNAME=root SHELL=/bin/sh PATH=/usr/bin:/bin /bin/sh -c "$line" || exit
      env -i /bin/sh -c "$line"
      """#
    let outcome = try await Program.shell(script, in: workshop)
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    #expect(outcome.output.isEmpty && outcome.errors.isEmpty, "\(outcome.outputText)\(outcome.errors)")
    let check = try await Program.shell("cdpipe verify out/public/current/*.cdstore", in: workshop)
    #expect(check.status == 0, "\(check.errors)")
  }

  @Test("a failure is mailed once with its status; another run in progress is not an error")
  func mail() async throws {
    let workshop = try await Self.checkout()
    let refresh =
      "env -i PATH=\"$PWD/fake:/usr/bin:/bin\" REFRESH_MAIL=me pipelines/cron/refresh.sh pipelines/nightly.yaml"
    let failed = try await Program.shell(
      "\(refresh) --set sources.marked.url=absent.zip", in: workshop)
    #expect(failed.status == 66, "\(failed.errors)")
    #expect(failed.outputText.contains("absent.zip"))
    let mailed = try await Program.shell("cat mailed && rm mailed", in: workshop)
    #expect(
      mailed.outputText.hasPrefix("-s\ncdpipe run pipelines/nightly.yaml: status 66\nme\n"),
      "\(mailed.outputText)")
    #expect(mailed.outputText.contains("absent.zip"))
    let busy = try await Program.shell(
      "mkdir -p out/public; exec 9> out/public/.lock; flock 9; \(refresh)", in: workshop)
    #expect(busy.status == 75, "\(busy.errors)")
    #expect(busy.outputText.contains("is locked by"))
    let quiet = try await Program.shell("cat mailed", in: workshop)
    #expect(quiet.status != 0, "\(quiet.outputText)")
  }

  @Test("the index page is written if it is wanted; if that fails, the status stays")
  func indexPage() async throws {
    let workshop = try await Self.checkout()
    let script = #"""
      printf '#!/bin/sh\nwc -c | grep -q ... && echo page\n' > fake/report; chmod +x fake/report
      export CDPIPE_REPORT=$PWD/fake/report REFRESH_INDEX=out/public
      pipelines/cron/refresh.sh pipelines/nightly.yaml && cdpipe verify -q out/public || exit
      cat out/public/index.html; rm out/public/index.html; mkdir out/public/index.html
      pipelines/cron/refresh.sh pipelines/nightly.yaml
      """#
    let outcome = try await Program.shell(script, in: workshop)
    #expect(outcome.status == 0, "\(outcome.outputText)\(outcome.errors)")
    #expect(outcome.outputText == "page\n")
    #expect(outcome.errors.contains("index.html"), "\(outcome.errors)")
  }

  @Test("systemd accepts the units")
  func units() async throws {
    let workshop = try await Self.checkout()
    let script = """
      command -v systemd-analyze > /dev/null || { echo 'no systemd'; exit; }
      cd pipelines/cron; sed -i "s|/usr/local/libexec/cdpipe/|$PWD/|; /^Documentation=man:/d" ./*.service
      systemd-analyze verify ./cdpipe-refresh.service ./cdpipe-refresh.timer ./cdpipe-failed@x.service
      """
    let outcome = try await Program.shell(script, in: workshop)
    if outcome.outputText == "no systemd\n" { return }
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    // The checker does detect errors.
    let broken = try await Program.shell(
      "cd pipelines/cron; sed -i 's/^ExecStart=.*/ExecStart=nowhere/' cdpipe-refresh.service; systemd-analyze verify ./cdpipe-refresh.service",
      in: workshop)
    #expect(broken.status != 0)
  }
}
