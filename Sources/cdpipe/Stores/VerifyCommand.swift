// `cdpipe verify`

import ArgumentParser
import CallDeltaReader
import CallManifest
import CallStoreReader
import Hashing
import Records
import Runner
import StoreWriting
import SystemIO
import SystemPackage

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Check stores, deltas and directories for damage.",
    discussion: """
      Checks all checksums, the order of the numbers, the counts and the content hash; for a delta, its header and both \
      of its stores; for a directory of shards, its manifest and every file that the manifest names; for a Live Caller ID \
      Lookup directory, also every row and configuration; for compiled rules, all of their tables. Files that were added to \
      a published version are a warning. The exit status is 1 if a file is damaged, 66 if it can't be opened.

      With --key, the manifest of a directory of shards, or compiled rules, must be signed with one of the keys, and the \
      signature must not have expired. If that is not so, the exit status is 65.
      """)

  @Argument(
    help: ArgumentHelp("The stores, deltas and directories.", valueName: "file"), completion: .store)
  var files: [String]

  @Option(
    "Require a signature by this public key. Repeatable: one of the keys suffices.", value: "key",
    completion: .nothing, transform: Self.publicKey)
  var key: [ManifestKey] = []

  @Flag(quiet: "Print errors only.")
  var quiet = false

  @Flag(help: "Print one JSON object per file.")
  var json = false

  @OptionGroup var colours: ColourOptions

  @Sendable private static func publicKey(_ text: String) throws -> ManifestKey {
    guard let key = ManifestKey(text) else { throw ValidationError(KeyText.notAPublicKey) }
    return key
  }

  func run() throws {
    var status: ExitCode?
    for path in files {
      for other in verify(path) {
        // A file that can't be opened or is not trusted decides the status.
        status = other == ExitStatus.no ? status ?? other : other
      }
    }
    if let status { throw status }
  }

  /// Checks what a path names, and prints a line per file. Returns the statuses for files that are not valid.
  private func verify(_ path: String) -> [ExitCode] {
    // Opening a pipe would wait for its writer.
    if FileKind(of: FilePath(path)) == .regular, RulesOpening.isCompiled(path) { return verifyRules(path) }
    if key.isEmpty, DeltaFile.isDelta(path) { return verifyDelta(path) }
    do throws(Failure) {
      switch try ListInput(path) {
      case .shards(let directory):
        return verifySignature(of: directory) + verifyFiles(of: directory)
      case .lookup(let directory):
        return key.isEmpty ? verifyFiles(of: directory) : [reportUnsigned(path)]
      case .file(let path):
        // A missing file is reported as missing.
        return key.isEmpty || FileKind(of: FilePath(path)) == .none
          ? verifyStore(path) : [reportUnsigned(path)]
      }
    } catch {
      return [report(error, of: path)]
    }
  }

  private func verifyStore(_ path: String) -> [ExitCode] {
    do throws(StoreVerificationError) {
      let hash = try StoreVerification.verify(path: path)
      show(VerifiedFile(file: path, contentHash: Hexadecimal.text(hash)))
      return []
    } catch {
      var status = ExitStatus.no
      if case .unreadable(.cannotOpen(let code)) = error { status = ExitStatus.opening(code) }
      return [report(error.userMessage(path: path, acceptsDeltas: true), of: path, status)]
    }
  }

  /// Checks compiled rules, and with keys their signature.
  private func verifyRules(_ path: String) -> [ExitCode] {
    let bytes: ContiguousArray<UInt8>
    do throws(Failure) {
      bytes = try RulesOpening.compiled(path)
    } catch {
      return [report(error, of: path)]
    }
    do throws(Failure) {
      if !key.isEmpty {
        let valid = try RulesSigning.verified(bytes, at: path, by: key, now: WallClock.wholeSeconds())
        show(RulesSigning.path(of: path), signedBy: valid)
      }
    } catch {
      return [report(error.message, of: path, ExitStatus.of(error.errorClass))]
    }
    var hasher = SHA256Hasher()
    hasher.update(bytes.span)
    show(VerifiedFile(file: path, sha256: hasher.hex))
    return []
  }

  private func verifyDelta(_ path: String) -> [ExitCode] {
    do throws(DeltaVerificationError) {
      let header = try DeltaFile.verify(path)
      show(
        VerifiedFile(
          file: path, from: Hexadecimal.text(header.baselineHash), to: Hexadecimal.text(header.resultHash)))
      return []
    } catch {
      return [report(error.userMessage(path: path), of: path, ExitStatus.no)]
    }
  }

  /// Checks that one of the keys signed the manifest of a directory of shards; without keys, nothing.
  private func verifySignature(of directory: ShardFolder) -> [ExitCode] {
    if key.isEmpty { return [] }
    let (path, signature) = (directory.manifestPath, directory.signaturePath)
    do throws(Failure) {
      let valid = try directory.signature(by: key, now: WallClock.wholeSeconds())
      show(signature, signedBy: valid)
      return []
    } catch {
      return [report(error.message, of: path, ExitStatus.of(error.errorClass))]
    }
  }

  /// Checks every file of a directory of shards, also after one that is damaged.
  private func verifyFiles(of directory: ShardFolder) -> [ExitCode] {
    show(VerifiedFile(file: directory.manifestPath, contentID: directory.contentID))
    var statuses: [ExitCode] = []
    for file in directory.files {
      do throws(Failure) {
        try file.verify()
        switch file.description {
        case .store(let store): show(VerifiedFile(file: file.path, contentHash: store.contentHash))
        case .delta(let delta): show(VerifiedFile(file: file.path, from: delta.from, to: delta.to))
        }
      } catch {
        if directory.isReplaced { return statuses + [reportReplaced(directory.manifestPath)] }
        statuses.append(report(error, of: file.path))
      }
    }
    if quiet || !statuses.isEmpty { return statuses }
    do throws(Failure) {
      for path in try directory.unlistedFiles() { Diagnostics.typed.warn(ShardFolderText.unlisted(path)) }
    } catch {
      statuses.append(Diagnostics.typed.end(error))
    }
    return statuses
  }

  /// Checks every file of a Live Caller ID Lookup directory. There may be thousands, so only those that are damaged have a
  /// line of their own.
  private func verifyFiles(of directory: CallerIDFolder) -> [ExitCode] {
    var statuses: [ExitCode] = []
    var isReplaced = false
    directory.verify { error, path in
      isReplaced = isReplaced || directory.isReplaced
      if !isReplaced { statuses.append(report(error, of: path)) }
    }
    if isReplaced { statuses.append(reportReplaced(directory.manifestPath)) }
    if statuses.isEmpty {
      show(VerifiedFile(file: directory.manifestPath, contentID: directory.contentID))
    }
    return statuses
  }

  /// The JSON form of a checked file: a store, a delta or a manifest, or none of them if it can't be read.
  private struct VerifiedFile: Encodable {
    var file: String
    var isValid = true
    /// The identity of a store.
    var contentHash: String?
    /// The identity of a directory of shards.
    var contentID: String?
    /// The hash of compiled rules.
    var sha256: String?
    /// The identities of the stores that a delta leads from and to.
    var from: String?
    var to: String?
    var key: String?
    var serial: Int64?
    var expires: String?
    var error: String?
  }

  private func show(_ path: String, signedBy signature: ManifestSignature) {
    show(
      VerifiedFile(
        file: path, key: signature.key.description, serial: signature.serial,
        expires: WallClock.text(Double(signature.expires))))
  }

  private func show(_ file: VerifiedFile) {
    if quiet { return }
    if json { return StandardOutput.print(JSONLine.text(file)) }
    var identity = file.contentHash ?? file.contentID ?? file.sha256 ?? ""
    if let from = file.from, let to = file.to { identity = "from \(from) to \(to)" }
    if let serial = file.serial, let expires = file.expires {
      identity = "serial \(serial), expires \(expires)"
    }
    StandardOutput.print("\(PrintableText.name(file.file)): valid, \(identity)")
  }

  /// Reports why a file is not valid. Data that is damaged is the answer that was asked for.
  private func report(_ error: Failure, of path: String) -> ExitCode {
    report(
      error.message, of: path, error.errorClass == .badData ? ExitStatus.no : ExitStatus.of(error.errorClass))
  }

  /// Reports that there is another directory by now: nothing is known about this one.
  private func reportReplaced(_ manifest: String) -> ExitCode {
    report(Failure.replaced(path: manifest).message, of: manifest, ExitStatus.badData)
  }

  /// Reports that a file can't have a signature of its own.
  private func reportUnsigned(_ path: String) -> ExitCode {
    report(KeyText.cannotBeSigned(path), of: path, ExitStatus.badData)
  }

  /// Reports why a file is not valid: the message on standard error, with --json also an object on standard output.
  private func report(_ message: UserMessage, of path: String, _ status: ExitCode) -> ExitCode {
    if json {
      StandardOutput.print(JSONLine.text(VerifiedFile(file: path, isValid: false, error: message.message)))
    }
    return Diagnostics.typed.end(message, status)
  }
}
