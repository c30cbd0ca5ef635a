// Rules opened for a command: a rule file, which is compiled in memory, or a compiled one, which is mapped; and the
// stores that they name.

import ArgumentParser
import CallStoreReader
import MessageRules
import MessageRulesCompiler
import NumberPlan
import PipeStage
import SystemIO
import SystemPackage

/// Rule files and compiled rules for commands, with their sentences.
enum RulesOpening {
  /// Reads a file of rules of any application.
  static func text(_ path: String, _ voice: Diagnostics) throws -> [UInt8] {
    let text: [UInt8]
    do throws(SystemError) {
      text = try InputFile.bytes(of: path, limit: RuleFile.bytesMax)
    } catch {
      throw voice.end(StageError(nil, error))
    }
    guard text.count <= RuleFile.bytesMax else {
      throw voice.end(
        UserMessage(
          "'\(path)' is larger than \(ByteSize.text(UInt64(RuleFile.bytesMax))): is it a rule file?"),
        Status.badData)
    }
    return text
  }

  /// Reads a rule file.
  static func ruleFile(_ path: String, _ voice: Diagnostics) throws -> RuleFile {
    let text = try text(path, voice)
    do throws(RuleErrors) {
      return try RuleFileReader.read(text, file: path, isRegion: { Region($0) != nil })
    } catch {
      throw end(error.list, voice)
    }
  }

  /// Compiles a rule file.
  static func compile(_ file: RuleFile, _ voice: Diagnostics) throws -> ContiguousArray<UInt8> {
    do throws(RuleError) {
      return ContiguousArray(try RuleCompiler.compile(file))
    } catch {
      throw end([error], voice)
    }
  }

  /// How many keywords compiled rules have, those that fold to the same counted once.
  static func keywordCount(_ bytes: ContiguousArray<UInt8>) -> Int {
    do throws(CompiledRulesError) {
      let rules = try CompiledRules(bytes: bytes.span)
      return rules.keywordCount
    } catch {
      return 0
    }
  }

  /// The stores that compiled rules name and that can't be opened, from the rule file's folder.
  static func missingStores(_ bytes: ContiguousArray<UInt8>, beside rules: String) -> [String] {
    let paths: [String]
    do throws(CompiledRulesError) {
      paths = try CompiledRules(bytes: bytes.span).storePaths
    } catch {
      return []
    }
    return paths.map { RuleStores.place(of: $0, beside: rules) }.filter { (try? InputFile($0)) == nil }
  }

  /// Opens rules of either form.
  static func rules(_ path: String, _ voice: Diagnostics) throws -> CompiledRules {
    do throws(CompiledRulesError) {
      if isCompiled(path) { return try CompiledRules(path: path) }
    } catch {
      let sentence = RulesMessages.sentence(error, path)
      if case .cannotOpen = error { throw voice.end(sentence, Status.noInput) }
      throw voice.end(sentence, Status.badData)
    }
    let bytes = try compile(try ruleFile(path, voice), voice)
    do throws(CompiledRulesError) {
      return try CompiledRules(bytes: bytes.span)
    } catch {
      throw voice.end(RulesMessages.sentence(error, path), Status.badData)
    }
  }

  /// Says every mistake, and gives the status to end with.
  private static func end(_ mistakes: [RuleError], _ voice: Diagnostics) -> ExitCode {
    for mistake in mistakes { _ = voice.end(RulesMessages.sentence(mistake), Status.badData) }
    return Status.badData
  }

  /// Whether a file begins as compiled rules do.
  private static func isCompiled(_ path: String) -> Bool {
    guard path != InputFile.standardInput, var file = try? InputFile(path) else { return false }
    var chunk = ByteChunk(capacity: 8)
    _ = try? file.read(into: &chunk)
    return chunk.count == 8 && CompiledRules.isBeginning(chunk.span)
  }
}

/// The stores that rules name, opened, relative to the rules' own place.
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
  /// What went wrong with a store while it was asked, and its path.
  private(set) var trouble: (error: CallStoreError, path: String)?

  /// Where a store is that rules name.
  static func place(of path: String, beside rules: String) -> String {
    FilePath(rules).removingLastComponent().pushing(FilePath(path)).string
  }

  /// Opens the stores.
  init(_ paths: [String], beside rules: String, _ voice: Diagnostics) throws {
    for path in paths {
      let place = Self.place(of: path, beside: rules)
      do throws(CallStoreError) {
        boxes.append(Box(Opened(store: try CallStore(path: place), path: place)))
      } catch {
        throw voice.end(StoreMessages.sentence(error, place), StoreMessages.status(error))
      }
    }
  }

  /// Whether a number is in a store.
  func contains(_ store: Int, _ number: UInt64) -> Bool {
    guard boxes.indices.contains(store) else { return false }
    do throws(CallStoreError) {
      return try boxes[store].opened.store.record(of: number) != nil
    } catch {
      trouble = trouble ?? (error, boxes[store].opened.path)
      return false
    }
  }

  /// Ends the command if a store could not be read.
  func check(_ voice: Diagnostics) throws {
    if let trouble {
      throw voice.end(
        StoreMessages.sentence(trouble.error, trouble.path), StoreMessages.status(trouble.error))
    }
  }
}
