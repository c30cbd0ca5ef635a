// Compiles a rule file for another program, such as the server, with the messages that cdpipe prints.

import MessageRules
import NumberPlan
import Records

/// A rule file, compiled.
public struct CompiledRuleFile: Sendable {
  /// The bytes of the compiled rules.
  public let bytes: [UInt8]
  /// Descriptions of what is allowed, but probably unintended.
  public let warnings: [String]
}

/// The errors of a rule file.
public struct RuleFileErrors: Error, Equatable, Sendable {
  /// One error.
  public struct Description: Equatable, Sendable {
    /// What is wrong, with its position.
    public let message: String
    /// What to change; nil if there is nothing to suggest.
    public let hint: String?
  }

  /// The errors in their order; not empty.
  public let list: [Description]

  init(_ errors: [RuleError]) {
    list = errors.map {
      let message = $0.userMessage
      return Description(message: message.message, hint: message.hint)
    }
  }
}

/// Compiles rule files.
public enum RuleFileCompiler {
  /// The maximum size of a rule file in bytes.
  public static let bytesMax = RuleFile.bytesMax

  /// Compiles the text of a rule file, YAML or JSON.
  ///
  /// - Parameter path: the file's name in messages.
  public static func compile(_ text: [UInt8], path: String) throws(RuleFileErrors) -> CompiledRuleFile {
    let file: RuleFile
    do throws(RuleErrors) {
      file = try RuleFileReader.read(text, file: path, isRegion: { Region($0) != nil })
    } catch {
      throw RuleFileErrors(error.list)
    }
    let bytes: [UInt8]
    do throws(RuleError) {
      bytes = try RuleCompiler.compile(file)
    } catch {
      throw RuleFileErrors([error])
    }
    do throws(CompiledRulesError) {
      let rules = try CompiledRules(bytes: ContiguousArray(bytes).span)
      return CompiledRuleFile(bytes: bytes, warnings: file.warnings(rules))
    } catch {
      preconditionFailure("the rules just compiled are not valid")
    }
  }
}
