// Makes the handler of this module available to tests. It is internal, as in Xcode's template.

public import CallKit

/// Creates the handler.
public func makeTemplateHandler() -> CXCallDirectoryProvider { CallDirectoryHandler() }
