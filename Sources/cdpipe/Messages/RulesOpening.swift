// Opens rules for a command: a rule file is compiled in memory; compiled rules are mapped. Also opens the stores that
// rules name.

import ArgumentParser
import CallStoreReader
import MessageRules
import MessageRulesCompiler
import NumberPlan
import Records
import StoreWriting
import SystemIO
import SystemPackage

/// Opens rule files and compiled rules; errors end the command.
enum RulesOpening {
  /// The maximum size of compiled rules that are copied, in bytes: the most that an app downloads.
  private static let compiledBytesMax = 16 << 20

  /// Reads a file up to the maximum size of a rule file.
  static func text(_ path: String, _ diagnostics: Diagnostics) throws -> [UInt8] {
    let text: [UInt8]
    do throws(SystemError) {
      text = try InputFile.bytes(of: path, limit: RuleFile.bytesMax)
    } catch {
      throw diagnostics.end(Failure(nil, error))
    }
    guard text.count <= RuleFile.bytesMax else {
      throw diagnostics.end(
        UserMessage(
          "'\(path)' is larger than \(Figures.bytes(RuleFile.bytesMax)): is it a rule file?"),
        ExitStatus.badData)
    }
    return text
  }

  /// Reads and parses a rule file.
  static func ruleFile(_ path: String, _ diagnostics: Diagnostics) throws -> RuleFile {
    let text = try text(path, diagnostics)
    do throws(RuleErrors) {
      return try RuleFileReader.read(text, file: path, isRegion: { Region($0) != nil })
    } catch {
      throw end(error.list, diagnostics)
    }
  }

  /// Compiles a rule file.
  static func compile(_ file: RuleFile, _ diagnostics: Diagnostics) throws -> ContiguousArray<UInt8> {
    do throws(RuleError) {
      return ContiguousArray(try RuleCompiler.compile(file))
    } catch {
      throw end([error], diagnostics)
    }
  }

  /// The number of keywords of a compiled rule file, and its warnings; keywords that fold to the same text count once.
  static func check(
    _ file: RuleFile, _ bytes: ContiguousArray<UInt8>
  ) -> (keywords: Int, warnings: [String]) {
    do throws(CompiledRulesError) {
      let rules = try CompiledRules(bytes: bytes.span)
      return (rules.keywordCount, file.warnings(rules))
    } catch {
      return (0, [])
    }
  }

  /// The paths of the stores that compiled rules name, as in the rule file.
  static func storePaths(_ bytes: ContiguousArray<UInt8>) -> [String] {
    do throws(CompiledRulesError) {
      return try CompiledRules(bytes: bytes.span).storePaths
    } catch {
      return []
    }
  }

  /// The stores that compiled rules name and that can't be opened; their paths are relative to the rule file.
  static func missingStores(_ bytes: ContiguousArray<UInt8>, relativeTo rules: String) -> [String] {
    storePaths(bytes).map { RuleStores.path(of: $0, relativeTo: rules) }
      .filter { (try? InputFile($0)) == nil }
  }

  /// Compiles a rule file, or reads and checks compiled rules.
  static func compiled(_ path: String, _ diagnostics: Diagnostics) throws -> ContiguousArray<UInt8> {
    guard isCompiled(path) else { return try compile(try ruleFile(path, diagnostics), diagnostics) }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try InputFile.bytes(of: path, limit: compiledBytesMax)
    } catch {
      throw diagnostics.end(Failure(nil, error))
    }
    do throws(CompiledRulesError) {
      _ = try CompiledRules(bytes: ContiguousArray(bytes).span)
    } catch {
      throw diagnostics.end(error.userMessage(path: path), ExitStatus.badData)
    }
    return ContiguousArray(bytes)
  }

  /// Opens a rule file or compiled rules.
  static func rules(_ path: String, _ diagnostics: Diagnostics) throws -> CompiledRules {
    do throws(CompiledRulesError) {
      if isCompiled(path) { return try CompiledRules(path: path) }
    } catch {
      let sentence = error.userMessage(path: path)
      switch error {
      case .cannotOpen(let code), .cannotMap(let code):
        throw diagnostics.end(sentence, ExitStatus.opening(code))
      default: throw diagnostics.end(sentence, ExitStatus.badData)
      }
    }
    let bytes = try compile(try ruleFile(path, diagnostics), diagnostics)
    do throws(CompiledRulesError) {
      return try CompiledRules(bytes: bytes.span)
    } catch {
      throw diagnostics.end(error.userMessage(path: path), ExitStatus.badData)
    }
  }

  /// Prints every error and returns the exit status.
  private static func end(_ errors: [RuleError], _ diagnostics: Diagnostics) -> ExitCode {
    for error in errors { _ = diagnostics.end(error.userMessage, ExitStatus.badData) }
    return ExitStatus.badData
  }

  /// Whether a file starts like compiled rules.
  private static func isCompiled(_ path: String) -> Bool {
    guard path != InputFile.standardInput, var file = try? InputFile(path) else { return false }
    var chunk = ByteChunk(capacity: 8)
    _ = try? file.read(into: &chunk)
    return chunk.count == 8 && CompiledRules.hasSignature(chunk.span)
  }
}

/// The stores that rules name, opened relative to the rules' folder.
final class RuleStores {
  private struct Opened: ~Copyable {
    let store: CallStore
    let path: String
  }

  private final class Box {
    let opened: Opened
    init(_ opened: consuming Opened) { self.opened = opened }
  }

  private var boxes: [Box] = []
  /// The first error of a lookup, and the path of its store.
  private(set) var failure: (error: CallStoreError, path: String)?

  /// The path of a store that rules name.
  static func path(of path: String, relativeTo rules: String) -> String {
    FilePath(rules).removingLastComponent().pushing(FilePath(path)).string
  }

  /// Opens all stores; an error ends the command.
  init(_ paths: [String], relativeTo rules: String, _ diagnostics: Diagnostics) throws {
    for path in paths {
      let location = Self.path(of: path, relativeTo: rules)
      do throws(CallStoreError) {
        boxes.append(Box(Opened(store: try CallStore(path: location), path: location)))
      } catch {
        throw diagnostics.end(error.userMessage(path: location), error.status)
      }
    }
  }

  /// Whether a number is in a store.
  func contains(_ store: Int, _ number: UInt64) -> Bool {
    guard boxes.indices.contains(store) else { return false }
    do throws(CallStoreError) {
      return try boxes[store].opened.store.record(of: number) != nil
    } catch {
      failure = failure ?? (error, boxes[store].opened.path)
      return false
    }
  }

  /// Ends the command if a store could not be read.
  func check(_ diagnostics: Diagnostics) throws {
    if let failure {
      throw diagnostics.end(
        failure.error.userMessage(path: failure.path), failure.error.status)
    }
  }
}
