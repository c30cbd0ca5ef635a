#!/usr/bin/env python3
"""Reads an .xcodeproj strictly and prints what it builds, one line per target.

  read_xcodeproj.py FOLDER

FOLDER contains the project and its files. A line has the fields that DescriptionTests.swift explains. Any deviation from
the format, an object that is missing, unused or of the wrong type, or a file that does not exist, is an error.
"""

import pathlib
import plistlib
import re
import sys
import xml.etree.ElementTree

TOKEN = re.compile(
    r'\s*(?:(?P<comment>/\*(?:[^*]|\*(?!/))*\*/)|(?P<mark>[{}()=;,])'
    r'|"(?P<quoted>(?:[^"\\\n]|\\["\\n])*)"|(?P<plain>[A-Za-z0-9_$./]+))'
)
IDENTIFIER = re.compile(r"[0-9A-F]{24}")

# The types of objects, and the keys that refer to other objects, with the types of those.
PHASES = {"PBXSourcesBuildPhase", "PBXFrameworksBuildPhase", "PBXResourcesBuildPhase", "PBXCopyFilesBuildPhase"}
PACKAGES = {"XCLocalSwiftPackageReference", "XCRemoteSwiftPackageReference"}
FOLDER = {"PBXFileSystemSynchronizedRootGroup"}
REFERENCES = {
    "PBXBuildFile": {"fileRef": {"PBXFileReference"}, "productRef": {"XCSwiftPackageProductDependency"}},
    "PBXContainerItemProxy": {"containerPortal": {"PBXProject"}, "remoteGlobalIDString": {"PBXNativeTarget"}},
    "PBXFileReference": {},
    "PBXFileSystemSynchronizedRootGroup": {},
    "PBXGroup": {"children": {"PBXFileReference", "PBXGroup"} | FOLDER},
    "PBXNativeTarget": {
        "buildConfigurationList": {"XCConfigurationList"},
        "buildPhases": PHASES,
        "dependencies": {"PBXTargetDependency"},
        "fileSystemSynchronizedGroups": FOLDER,
        "packageProductDependencies": {"XCSwiftPackageProductDependency"},
        "productReference": {"PBXFileReference"},
    },
    "PBXProject": {
        "buildConfigurationList": {"XCConfigurationList"},
        "mainGroup": {"PBXGroup"},
        "packageReferences": PACKAGES,
        "productRefGroup": {"PBXGroup"},
        "targets": {"PBXNativeTarget"},
    },
    "PBXTargetDependency": {"target": {"PBXNativeTarget"}, "targetProxy": {"PBXContainerItemProxy"}},
    "XCBuildConfiguration": {"baseConfigurationReference": {"PBXFileReference"}},
    "XCConfigurationList": {"buildConfigurations": {"XCBuildConfiguration"}},
    "XCSwiftPackageProductDependency": {"package": {"XCRemoteSwiftPackageReference"}},
}
REFERENCES |= {phase: {"files": {"PBXBuildFile"}} for phase in PHASES} | {package: {} for package in PACKAGES}

# Product types: Tuist's name, the file's suffix and type, and where the app has it; None if it is not in the app.
PRODUCTS = {
    "com.apple.product-type.application": ("app", ".app", "wrapper.application", None),
    "com.apple.product-type.app-extension": ("appExtension", ".appex", "wrapper.app-extension", ("13", "")),
    "com.apple.product-type.extensionkit-extension": (
        "extensionKitExtension", ".appex", "wrapper.extensionkit-extension", ("16", "$(EXTENSIONS_FOLDER_PATH)")),
    "com.apple.product-type.bundle.unit-test": ("unitTests", ".xctest", "wrapper.cfbundle", None),
}
PLACES = {("13", ""): "PlugIns", ("16", "$(EXTENSIONS_FOLDER_PATH)"): "Extensions"}
SHARED = ["GENERATE_INFOPLIST_FILE", "SWIFT_DEFAULT_ACTOR_ISOLATION", "SWIFT_VERSION"]
# Settings that the other forms get from their programs, or have in other fields.
OTHER = {
    "ASSETCATALOG_COMPILER_APPICON_NAME", "BUNDLE_LOADER", "CODE_SIGN_ENTITLEMENTS", "EXCLUDED_SOURCE_FILE_NAMES",
    "INCLUDED_SOURCE_FILE_NAMES", "INFOPLIST_FILE", "LD_RUNPATH_SEARCH_PATHS", "PRODUCT_BUNDLE_IDENTIFIER",
}


def need(condition, what):
    if not condition:
        sys.exit(f"read_xcodeproj.py: {what}")


class Reader:
    """An old-style property list: dictionaries, arrays and texts."""

    def __init__(self, text):
        need(text.startswith("// !$*UTF8*$!\n"), "the first line is wrong")
        self.text, self.at = text, text.index("\n")

    def token(self):
        while match := TOKEN.match(self.text, self.at):
            self.at = match.end()
            if match["comment"] is None:
                return match
        need(False, f"unreadable: {self.text[self.at : self.at + 40]!r}")

    def mark(self, wanted):
        found = self.token()
        need(found["mark"] == wanted, f"{found[0]!r} instead of {wanted}")

    def value(self, found=None):
        found = found or self.token()
        if found["quoted"] is not None:
            return re.sub(r"\\(.)", lambda match: {"n": "\n"}.get(match[1], match[1]), found["quoted"])
        if found["plain"] is not None:
            need("//" not in found["plain"] and "___" not in found["plain"], f"{found['plain']} needs quotation marks")
            return found["plain"]
        need(found["mark"] in ("{", "("), f"{found[0]!r} is not a value")
        return self.keys() if found["mark"] == "{" else self.list()

    def keys(self):
        result = {}
        while (found := self.token())["mark"] != "}":
            key = self.value(found)
            self.mark("=")
            need(isinstance(key, str) and key not in result, f"{key} twice")
            result[key] = self.value()
            self.mark(";")
        return result

    def list(self):
        result = []
        while (found := self.token())["mark"] != ")":
            result.append(self.value(found))
            self.mark(",")
        return result

    def whole(self):
        result = self.value()
        need(isinstance(result, dict) and not self.text[self.at :].strip(), "text after the end")
        return result


class Project:
    def __init__(self, folder):
        self.folder = folder
        projects = list(folder.glob("*.xcodeproj"))
        need(len(projects) == 1, "not one .xcodeproj")
        self.path = projects[0]
        tree = Reader((self.path / "project.pbxproj").read_text(encoding="utf-8")).whole()
        need(tree.keys() == {"archiveVersion", "classes", "objectVersion", "objects", "rootObject"}, "top-level keys")
        need((tree["archiveVersion"], tree["classes"], tree["objectVersion"]) == ("1", {}, "77"), "versions")
        self.objects, self.root = tree["objects"], tree["rootObject"]
        self.used = set()
        self.visit(self.root, {"PBXProject"})
        need(self.used == self.objects.keys(), f"unused objects: {self.objects.keys() - self.used}")

    def visit(self, identifier, types):
        need(IDENTIFIER.fullmatch(identifier) and identifier in self.objects, f"no object {identifier}")
        found = self.objects[identifier]
        need(found["isa"] in types, f"{identifier} is a {found['isa']}, not one of {types}")
        if identifier in self.used:
            return
        self.used.add(identifier)
        for key, wanted in REFERENCES[found["isa"]].items():
            value = found.get(key, [])
            for other in value if isinstance(value, list) else [value]:
                self.visit(other, wanted)

    def __getitem__(self, identifier):
        return self.objects[identifier]

    def all(self, identifiers):
        need(len(set(identifiers)) == len(identifiers), "an object is listed twice")
        return [self[identifier] for identifier in identifiers]

    def settings(self, owner):
        """The settings of both configurations, which may differ only where Xcode's templates do."""
        found = self[owner["buildConfigurationList"]]
        need(found["defaultConfigurationName"] == "Release", "the default configuration")
        debug, release = self.all(found["buildConfigurations"])
        need((debug["name"], release["name"]) == ("Debug", "Release"), "the configurations")
        differing = {
            key for key in debug["buildSettings"].keys() | release["buildSettings"].keys()
            if debug["buildSettings"].get(key) != release["buildSettings"].get(key)
        }
        template = {
            "DEBUG_INFORMATION_FORMAT", "ENABLE_TESTABILITY", "ONLY_ACTIVE_ARCH", "SWIFT_ACTIVE_COMPILATION_CONDITIONS",
            "SWIFT_COMPILATION_MODE", "SWIFT_OPTIMIZATION_LEVEL", "VALIDATE_PRODUCT",
        }
        is_project = owner["isa"] == "PBXProject"
        need(differing == (template if is_project else set()), f"differing settings: {differing}")
        files = {configuration.get("baseConfigurationReference") for configuration in (debug, release)}
        need(files == {self[self[self.root]["mainGroup"]]["children"][0] if is_project else None}, "the settings' file")
        return release["buildSettings"]

    def package(self):
        packages = self.all(self[self.root].get("packageReferences", []))
        need(len(packages) <= 1, "several packages")
        for found in packages:
            if found["isa"] == "XCLocalSwiftPackageReference":
                return f"path {found['relativePath']}"
            need(found["requirement"]["kind"] == "upToNextMajorVersion", "the kind of version")
            return f"url {found['repositoryURL']} from {found['requirement']['minimumVersion']}"
        return "none"

    def schemes(self, app, tests):
        """The names of the schemes, each of which runs the app and its tests; Xcode may add no others."""
        shared = self.path / "project.xcworkspace/xcshareddata/WorkspaceSettings.xcsettings"
        need(
            plistlib.loads(shared.read_bytes()) == {"IDEWorkspaceSharedSettings_AutocreateContextsIfNeeded": False},
            "the workspace's settings")
        schemes = sorted(self.path.glob("xcshareddata/xcschemes/*.xcscheme"))
        for scheme in schemes:
            tree = xml.etree.ElementTree.parse(scheme).getroot()
            tested = list(tree.find("TestAction").iter("BuildableReference"))
            references = [found for found in tree.iter("BuildableReference") if found not in tested]
            need((len(references), len(tested)) == (3, 1), "the scheme's references")
            for found, target, suffix in [(one, app, ".app") for one in references] + [(tested[0], tests, ".xctest")]:
                need(
                    (found.get("BlueprintIdentifier"), found.get("BlueprintName"), found.get("BuildableName"),
                     found.get("ReferencedContainer"))
                    == (target, self[target]["name"], self[target]["name"] + suffix, f"container:{self.path.name}"),
                    "the scheme's reference")
            upgraded = self[self.root]["attributes"]["LastUpgradeCheck"]
            need(tree.get("LastUpgradeVersion") == upgraded and int(upgraded) >= 2600, "the version of Xcode")
        return [scheme.stem for scheme in schemes]

    def lines(self):
        root = self[self.root]
        base = self.settings(root)
        main = [self[child] for child in self[root["mainGroup"]]["children"]]
        config = main[0]
        need((config["isa"], config["lastKnownFileType"]) == ("PBXFileReference", "text.xcconfig"), "the settings' file")
        need((self.folder / config["path"]).is_file(), f"no file {config['path']}")
        for found in main[1:-1]:
            need((self.folder / found["path"]).is_dir(), f"no folder {found['path']}")
        need(main[-1] is self[root["productRefGroup"]], "the group of products")
        targets = self.all(root["targets"])
        need(
            [target["productReference"] for target in targets] == main[-1]["children"], "the products are not the targets'")
        hosts = root["attributes"]["TargetAttributes"]
        need(hosts == {root["targets"][-1]: {"TestTargetID": root["targets"][0]}}, "the app of the tests")
        need(self.schemes(root["targets"][0], root["targets"][-1]) == [targets[0]["name"]], "the schemes")
        need((base["SDKROOT"], base["PRODUCT_NAME"]) == ("iphoneos", "$(TARGET_NAME)"), "the platform")
        shared = " ".join(f"{key}={base[key]}" for key in SHARED)
        regions = " ".join(sorted(root["knownRegions"]))
        yield "|".join([
            self.path.stem, self.package(), targets[0]["name"], shared, regions, root["developmentRegion"],
            config["path"]])
        for target in targets:
            yield "|".join(self.target(target, base, targets))

    def target(self, target, base, targets):
        name = target["name"]
        product, suffix, kind, place = PRODUCTS[target["productType"]]
        reference = self[target["productReference"]]
        need((reference["path"], reference["explicitFileType"]) == (name + suffix, kind), f"the product of {name}")
        phases = self.all(target["buildPhases"])
        need([phase["isa"] for phase in phases[:3]] == [
            "PBXSourcesBuildPhase", "PBXFrameworksBuildPhase", "PBXResourcesBuildPhase"], f"the phases of {name}")
        linked = [self[found["productRef"]]["productName"] for found in self.all(phases[1]["files"])]
        need(linked == [found["productName"] for found in self.all(target["packageProductDependencies"])], "products")
        own = self.settings(target)
        all_settings = base | own
        is_tests = product == "unitTests"
        if is_tests:
            app = targets[0]["name"]
            host = f"$(BUILT_PRODUCTS_DIR)/{app}.app/{app}"
            need((own["TEST_HOST"], own["BUNDLE_LOADER"]) == (host, "$(TEST_HOST)"), "the app of the tests")
            need(all_settings["GENERATE_INFOPLIST_FILE"] == "YES", "the tests' Info.plist")
        else:
            for key in ("INFOPLIST_FILE", "CODE_SIGN_ENTITLEMENTS"):
                need((self.folder / own[key]).is_file(), f"{own[key]} is missing")
            paths = ["$(inherited)", "@executable_path/Frameworks", "@executable_path/../../Frameworks"]
            need(own["LD_RUNPATH_SEARCH_PATHS"] == (paths if place else paths[:2]), f"the paths of {name}")
        need(all_settings.get("SKIP_INSTALL", "NO") == ("YES" if place else "NO"), f"{name} is installed by itself")
        folders = [found["path"] for found in self.all(target["fileSystemSynchronizedGroups"])]
        resources = own.get("INCLUDED_SOURCE_FILE_NAMES", "")
        # All files of these folders are excluded but those of a pattern.
        places = [pattern.split("/")[0] for pattern in resources.split()]
        excluded = own.get("EXCLUDED_SOURCE_FILE_NAMES", "").split()
        need(excluded == [place + "/*" for place in places], f"the resources of {name}")
        need(folders[len(folders) - len(places):] == places, f"the folders of {name}")
        folders = folders[:len(folders) - len(places)]
        catalogs = sorted(
            file.relative_to(self.folder).as_posix() for folder in folders
            for file in (self.folder / folder).rglob("*") if file.suffix in (".xcassets", ".xcstrings", ".xcprivacy"))
        return [
            name, product, own["PRODUCT_BUNDLE_IDENTIFIER"], all_settings["IPHONEOS_DEPLOYMENT_TARGET"],
            all_settings["TARGETED_DEVICE_FAMILY"], own.get("INFOPLIST_FILE", ""), own.get("CODE_SIGN_ENTITLEMENTS", ""),
            " ".join(folders), resources, " ".join(linked), self.embedded(target, phases[3:], targets),
            " ".join(f"{key}={own[key]}" for key in sorted(own.keys() - OTHER)), " ".join(catalogs),
        ]

    def embedded(self, target, phases, targets):
        """What the app contains, and where. It depends on all of that."""
        places = {}
        for phase in phases:
            need(phase["isa"] == "PBXCopyFilesBuildPhase", f"a phase of {target['name']}")
            for file in self.all(phase["files"]):
                need(file["settings"] == {"ATTRIBUTES": ["RemoveHeadersOnCopy"]}, "attributes")
                owner = [found for found in targets if found["productReference"] == file["fileRef"]]
                need(len(owner) == 1, "an embedded file is not a product")
                place = (phase["dstSubfolderSpec"], phase["dstPath"])
                need(PRODUCTS[owner[0]["productType"]][3] == place, f"the place of {owner[0]['name']}")
                places[owner[0]["name"]] = f"{PLACES[place]}/{owner[0]['name']}"
        dependencies = []
        for found in self.all(target["dependencies"]):
            proxy = self[found["targetProxy"]]
            need(proxy["remoteGlobalIDString"] == found["target"] and proxy["proxyType"] == "1", "a proxy")
            need(proxy["remoteInfo"] == self[found["target"]]["name"], "a proxy's name")
            dependencies.append(proxy["remoteInfo"])
        if target is targets[-1]:
            need(dependencies == [targets[0]["name"]] and not places, "the tests depend on the app")
            return f"Host/{dependencies[0]}"
        need(sorted(dependencies) == sorted(places), "the app does not depend on what it embeds")
        return " ".join(places[found["name"]] for found in targets if found["name"] in places)


if __name__ == "__main__":
    for line in Project(pathlib.Path(sys.argv[1])).lines():
        print(line)
