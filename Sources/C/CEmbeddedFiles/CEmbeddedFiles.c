#include "CEmbeddedFiles.h"

// #embed is of C23. Clang has it in all modes of C since version 19, Apple's since Xcode 16.3 (Apple clang 17).
#pragma clang diagnostic ignored "-Wc23-extensions"

// One line a file, with the zero byte that ends it; first this file, for the list of names. Paths are relative to this
// file. The compiler reports them as dependencies, so a changed file is embedded again.
static const unsigned char bytes[] = {
#embed "CEmbeddedFiles.c" suffix(, 0,)
#embed "../../../docs/commands/examples.txt" suffix(, 0,)
#embed "../../../docs/formats/pipeline.schema.json" suffix(, 0,)
#embed "../../../samples/apps/AllInOne/App/AllInOne.xcstrings" suffix(, 0,)
#embed "../../../samples/apps/AllInOne/App/AllInOneApp.swift" suffix(, 0,)
#embed "../../../samples/apps/AllInOne/App/AppTab.swift" suffix(, 0,)
#embed "../../../samples/apps/Block070/App/Blocking.xcstrings" suffix(, 0,)
#embed "../../../samples/apps/Block070/App/BlockingApp.swift" suffix(, 0,)
#embed "../../../samples/apps/Block070/App/BlockingModel.swift" suffix(, 0,)
#embed "../../../samples/apps/Block070/App/BlockingScreen.swift" suffix(, 0,)
#embed "../../../samples/apps/Block070/App/BlockingSwitch.swift" suffix(, 0,)
#embed "../../../samples/apps/Block070/Extension/CallDirectoryHandler.swift" suffix(, 0,)
#embed "../../../samples/apps/Block070/Shared/BlockingExtension.swift" suffix(, 0,)
#embed "../../../samples/apps/CallerID/App/Caller.xcstrings" suffix(, 0,)
#embed "../../../samples/apps/CallerID/App/CallerApp.swift" suffix(, 0,)
#embed "../../../samples/apps/CallerID/App/CallerDirectory.swift" suffix(, 0,)
#embed "../../../samples/apps/CallerID/App/CallerModel.swift" suffix(, 0,)
#embed "../../../samples/apps/CallerID/App/CallerScreen.swift" suffix(, 0,)
#embed "../../../samples/apps/CallerID/App/ListSettings.swift" suffix(, 0,)
#embed "../../../samples/apps/CallerID/App/UpdateNotice.swift" suffix(, 0,)
#embed "../../../samples/apps/CallerID/Extension/CallDirectoryHandler.swift" suffix(, 0,)
#embed "../../../samples/apps/LiveLookup/App/Lookup.xcstrings" suffix(, 0,)
#embed "../../../samples/apps/LiveLookup/App/LookupApp.swift" suffix(, 0,)
#embed "../../../samples/apps/LiveLookup/App/LookupControl.swift" suffix(, 0,)
#embed "../../../samples/apps/LiveLookup/App/LookupModel.swift" suffix(, 0,)
#embed "../../../samples/apps/LiveLookup/App/LookupNotice.swift" suffix(, 0,)
#embed "../../../samples/apps/LiveLookup/App/LookupScreen.swift" suffix(, 0,)
#embed "../../../samples/apps/LiveLookup/Extension/LookupExtension.swift" suffix(, 0,)
#embed "../../../samples/apps/LiveLookup/Shared/UserToken.swift" suffix(, 0,)
#embed "../../../samples/apps/MessageFilter/App/Filter.xcstrings" suffix(, 0,)
#embed "../../../samples/apps/MessageFilter/App/FilterApp.swift" suffix(, 0,)
#embed "../../../samples/apps/MessageFilter/App/FilterModel.swift" suffix(, 0,)
#embed "../../../samples/apps/MessageFilter/App/FilterNotice.swift" suffix(, 0,)
#embed "../../../samples/apps/MessageFilter/App/FilterScreen.swift" suffix(, 0,)
#embed "../../../samples/apps/MessageFilter/App/FilterServer.swift" suffix(, 0,)
#embed "../../../samples/apps/MessageFilter/App/RulesUpdate.swift" suffix(, 0,)
#embed "../../../samples/apps/MessageFilter/App/RulesUpdateError.swift" suffix(, 0,)
#embed "../../../samples/apps/MessageFilter/App/VerdictName.swift" suffix(, 0,)
#embed "../../../samples/apps/MessageFilter/Extension/MessageFilterExtension.swift" suffix(, 0,)
#embed "../../../samples/apps/MessageFilter/Extension/ServerAnswer.swift" suffix(, 0,)
#embed "../../../samples/apps/MessageFilter/Shared/FilterVerdict.swift" suffix(, 0,)
#embed "../../../samples/apps/MessageFilter/Shared/InstalledRules.swift" suffix(, 0,)
#embed "../../../samples/apps/MessageFilter/Shared/LocalRules.swift" suffix(, 0,)
#embed "../../../samples/apps/SampleShared/Common/App/NightlyUpdate.swift" suffix(, 0,)
#embed "../../../samples/apps/SampleShared/Common/App/TextCatalog.swift" suffix(, 0,)
#embed "../../../samples/apps/SampleShared/Common/Shared/AppGroup.swift" suffix(, 0,)
#embed "../../../samples/apps/SampleShared/Directory/App/Directory.xcstrings" suffix(, 0,)
#embed "../../../samples/apps/SampleShared/Directory/App/DirectoryModel.swift" suffix(, 0,)
#embed "../../../samples/apps/SampleShared/Directory/App/DirectoryRow.swift" suffix(, 0,)
#embed "../../../samples/apps/SampleShared/Directory/App/DirectoryScreen.swift" suffix(, 0,)
#embed "../../../samples/apps/SampleShared/Directory/App/NumberAnswer.swift" suffix(, 0,)
#embed "../../../samples/apps/SampleShared/Directory/App/ReloadRun.swift" suffix(, 0,)
#embed "../../../samples/apps/SampleShared/Directory/Shared/ExtensionIndex.swift" suffix(, 0,)
};

const unsigned char *cdp_embedded_bytes(void) { return bytes; }

size_t cdp_embedded_byte_count(void) { return sizeof bytes; }
