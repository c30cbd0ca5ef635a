// Messages for errors of sampling and splitting lists.

package import Records

extension SplitError: UserMessageConvertible {
  /// Describes the error for users.
  package func userMessage(of _: StageName?) -> UserMessage {
    switch self {
    case .notSorted(let list, let line, let previous, let number):
      UserMessage(
        "\(InputName.plain(list)):\(line): \(number) comes after \(previous): input is not sorted",
        hint: list == "-"
          ? "add 'cdpipe sort' before this command" : "run 'cdpipe sort \(ShellQuoting.quoted(list))' first")
    case .notARecord(let list, let line, let reason, let text):
      UserMessage(
        "\(InputName.plain(list)):\(line): \(reason.text): \(PrintableText.quoted(text))",
        hint:
          "convert the list first: cdpipe parse \(list == "-" ? "" : ShellQuoting.quoted(list) + " ")"
          + "| cdpipe normalize --region CC | cdpipe sort")
    case .notARecordAt(let list, let byte):
      UserMessage(
        "\(InputName.plain(list)): no record at byte \(byte): the list has changed since it was sampled",
        hint: "sample it again, or leave out --sample")
    case .needsFile(let list):
      UserMessage(
        "\(InputName.quoted(list)) can't be read twice",
        hint: "save it to a file, or name the cuts with --at")
    case .cutInRange, .cutInSample, .cutNotANumber, .cutNotAscending, .tooManyCuts: cutMessage
    case .notASample, .unknownSampleVersion, .damagedSample, .severalSamples, .otherSample: sampleMessage
    case .foreignFile, .workingDirectory, .listInside: directoryMessage
    }
  }

  private var cutMessage: UserMessage {
    switch self {
    case .cutInRange(let list, let line, let range, let cut):
      UserMessage(
        "\(InputName.plain(list)):\(line): the cut \(cut) is inside the range "
          + "\(range.lowerBound)..\(range.upperBound)",
        hint: "plan the cuts with a sample of this list, or for this list alone move them with --move-cuts")
    case .cutInSample(let sample, let covered, let cut):
      UserMessage(
        "\(InputName.plain(sample)): the cut \(cut) is inside \(covered.lowerBound)..\(covered.upperBound), "
          + "which ranges cover",
        hint: "plan the cuts with this sample, or leave out --sample")
    case .cutNotANumber(let file, let line, let text):
      UserMessage(
        "\(InputName.plain(file)):\(line): not a number of 1 to 15 digits: \(PrintableText.quoted(text))",
        hint: "write one number per line, or name a manifest")
    case .cutNotAscending(let file, let line, let previous, let cut):
      UserMessage(
        "\(InputName.plain(file)):\(line): the cut \(cut) is not above the one before it, \(previous)")
    case .tooManyCuts(let file, let limit):
      UserMessage("\(InputName.quoted(file)) has more than \(Figures.grouped(UInt64(limit))) cuts")
    default: UserMessage("\(self)")
    }
  }

  private var sampleMessage: UserMessage {
    switch self {
    case .notASample(let file):
      UserMessage(
        "\(InputName.quoted(file)) is not a sample", hint: "make one with: cdpipe sample LIST -o FILE")
    case .unknownSampleVersion(let file):
      UserMessage("\(InputName.quoted(file)) is a sample of a newer version", hint: "use a newer cdpipe")
    case .damagedSample(let file, let line):
      UserMessage(
        "\(InputName.plain(file)):\(line): the sample is damaged or incomplete",
        hint: "sample the list again")
    case .severalSamples(let file):
      UserMessage(
        "\(InputName.quoted(file)) has the samples of several lists",
        hint: "sample this list alone: cdpipe sample LIST -o FILE")
    case .otherSample(let sample, let list):
      UserMessage(
        "\(InputName.quoted(sample)) is not a sample of '\(list)': the sizes differ",
        hint: "sample it again: cdpipe sample \(ShellQuoting.quoted(list)) -o FILE")
    default: UserMessage("\(self)")
    }
  }

  private var directoryMessage: UserMessage {
    switch self {
    case .foreignFile(let directory, let name):
      UserMessage(
        "'\(directory)' contains '\(name)', which is not a part, and would be removed",
        hint: "name a new directory")
    case .workingDirectory(let directory):
      UserMessage(
        "'\(directory)' would be replaced by the parts, and contains the working directory",
        hint: "name a new directory")
    case .listInside(let directory, let list):
      UserMessage(
        "'\(list)' is in '\(directory)', which would be replaced by the parts", hint: "name a new directory")
    default: UserMessage("\(self)")
    }
  }
}
