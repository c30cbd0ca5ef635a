// The way for the tests to the handler of this module, which is internal, as Xcode's template has it.

public import CallKit

/// Makes the handler.
public func makeTemplateHandler() -> CXCallDirectoryProvider { CallDirectoryHandler() }
