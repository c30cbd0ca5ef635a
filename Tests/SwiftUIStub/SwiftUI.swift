// A stand-in for SwiftUI that only declares the types and modifiers that the sample apps use, so that a test on Linux can
// type-check their screens. It lays nothing out, and is not linked to anything: nothing here runs.
//
// Signatures follow Apple's interface, also in isolation. Not a target of the package: `canImport(SwiftUI)` must stay
// false in it.
// swift-format-ignore-file

@_exported import Foundation
@_exported import Observation

// MARK: Views

@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }
}

public protocol PrimitiveView: View {}

extension PrimitiveView { public var body: Never { fatalError() } }
extension Never: View { public var body: Never { fatalError() } }
extension Optional: View where Wrapped: View { public var body: Never { fatalError() } }

public struct EmptyView: PrimitiveView { public init() {} }
public struct TupleView<Content>: PrimitiveView { init() {} }
public struct ConditionalView<First: View, Second: View>: PrimitiveView {}
/// A view with children, and the result of every modifier.
public struct AnyContent: PrimitiveView { nonisolated init() {} }

@resultBuilder public enum ViewBuilder {
  public static func buildExpression<V: View>(_ view: V) -> V { view }
  public static func buildBlock() -> EmptyView { fatalError() }
  public static func buildBlock<V: View>(_ view: V) -> V { view }
  public static func buildBlock<each V: View>(_ views: repeat each V) -> TupleView<(repeat each V)> { fatalError() }
  public static func buildIf<V: View>(_ view: V?) -> V? { view }
  public static func buildEither<A: View, B: View>(first: A) -> ConditionalView<A, B> { fatalError() }
  public static func buildEither<A: View, B: View>(second: B) -> ConditionalView<A, B> { fatalError() }
}

// MARK: Apps

@MainActor @preconcurrency public protocol Scene {
  associatedtype Body: Scene
  @SceneBuilder var body: Body { get }
}

extension Never: Scene {}

public struct BackgroundTask<Request, Response>: Sendable {
  public static func urlSession(_ identifier: String) -> BackgroundTask<Void, Void> { fatalError() }
}

extension Scene {
  public func backgroundTask<Request: Sendable, Response: Sendable>(
    _ task: BackgroundTask<Request, Response>, action: @escaping @Sendable (Request) async -> Response
  ) -> some Scene { WindowGroup { EmptyView() } }
}

@resultBuilder public enum SceneBuilder {
  public static func buildBlock<S: Scene>(_ scene: S) -> S { scene }
}

@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  @SceneBuilder var body: Body { get }
  init()
}

extension App { public static func main() {} }

public struct WindowGroup<Content: View>: Scene {
  public init(@ViewBuilder content: () -> Content) {}
  public var body: Never { fatalError() }
}

public enum ScenePhase: Comparable, Sendable { case background, inactive, active }

// MARK: State

@propertyWrapper public struct State<Value> {
  public init(wrappedValue: Value) {}
  public init(initialValue: Value) {}
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { fatalError() }
}

@propertyWrapper @dynamicMemberLookup public struct Binding<Value> {
  public init(get: @escaping @MainActor () -> Value, set: @escaping @MainActor (Value) -> Void) {}
  public var wrappedValue: Value {
    get { fatalError() }
    nonmutating set {}
  }
  public var projectedValue: Binding<Value> { self }
  public subscript<Subject>(dynamicMember path: WritableKeyPath<Value, Subject>) -> Binding<Subject> { fatalError() }
}

@propertyWrapper @dynamicMemberLookup public struct Bindable<Value: AnyObject & Observable> {
  public init(wrappedValue: Value) {}
  public init(_ wrappedValue: Value) {}
  public var wrappedValue: Value {
    get { fatalError() }
    set {}
  }
  public var projectedValue: Bindable<Value> { self }
  public subscript<Subject>(dynamicMember path: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
    fatalError()
  }
}

public struct OpenURLAction { @MainActor public func callAsFunction(_ url: URL) {} }

public struct EnvironmentValues {
  public var scenePhase: ScenePhase { fatalError() }
  public var openURL: OpenURLAction { fatalError() }
}

@propertyWrapper public struct Environment<Value> {
  public init(_ path: KeyPath<EnvironmentValues, Value>) {}
  public var wrappedValue: Value { fatalError() }
}

// MARK: Text and images

public struct Text: PrimitiveView { public init<S: StringProtocol>(_ text: S) {} }

public struct Image: PrimitiveView { public init(systemName: String) {} }

public struct Label<Title: View, Icon: View>: PrimitiveView {
  public init(@ViewBuilder title: () -> Title, @ViewBuilder icon: () -> Icon) {}
}
extension Label where Title == Text, Icon == Image {
  public init<S: StringProtocol>(_ title: S, systemImage: String) {}
}

public struct Color: PrimitiveView, ShapeStyle {
  public static let green = Color(), orange = Color(), red = Color(), secondary = Color()
}

public struct Font: Sendable {
  public static let headline = Font(), subheadline = Font(), footnote = Font(), caption = Font(), body = Font()
}

public protocol ShapeStyle: Sendable {}
public struct HierarchicalShapeStyle: ShapeStyle {}
extension ShapeStyle where Self == HierarchicalShapeStyle {
  public static var secondary: HierarchicalShapeStyle { fatalError() }
}
extension ShapeStyle where Self == Color {
  public static var green: Color { fatalError() }
  public static var orange: Color { fatalError() }
  public static var red: Color { fatalError() }
}

// MARK: Containers

public struct Form<Content: View>: PrimitiveView { public init(@ViewBuilder content: () -> Content) {} }
public struct List<Content: View>: PrimitiveView { public init(@ViewBuilder content: () -> Content) {} }
public struct NavigationStack<Root: View>: PrimitiveView { public init(@ViewBuilder root: () -> Root) {} }
public struct TabView<Content: View>: PrimitiveView { public init(@ViewBuilder content: () -> Content) {} }

public enum HorizontalAlignment: Sendable { case leading, center, trailing }
public enum VerticalAlignment: Sendable { case top, center, firstTextBaseline }
public struct VStack<Content: View>: PrimitiveView {
  public init(alignment: HorizontalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
}
public struct NavigationLink<Title: View, Destination: View>: PrimitiveView {}
extension NavigationLink where Title == Text {
  public init<S: StringProtocol>(_ title: S, @ViewBuilder destination: () -> Destination) {}
}
public struct HStack<Content: View>: PrimitiveView {
  public init(alignment: VerticalAlignment = .center, spacing: CGFloat? = nil, @ViewBuilder content: () -> Content) {}
}
public struct Spacer: PrimitiveView { public init() {} }

public struct Section<Parent: View, Content: View, Footer: View>: PrimitiveView {
  public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent, @ViewBuilder footer: () -> Footer) {}
}
extension Section where Parent == EmptyView, Footer == EmptyView {
  public init(@ViewBuilder content: () -> Content) {}
}
extension Section where Parent == Text, Footer == EmptyView {
  public init<S: StringProtocol>(_ title: S, @ViewBuilder content: () -> Content) {}
}
extension Section where Parent == EmptyView {
  public init(@ViewBuilder content: () -> Content, @ViewBuilder footer: () -> Footer) {}
}
extension Section where Footer == EmptyView {
  public init(@ViewBuilder content: () -> Content, @ViewBuilder header: () -> Parent) {}
}

public struct ForEach<Data: RandomAccessCollection, Content: View>: PrimitiveView {
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) where Data.Element: Identifiable {}
  public init<ID: Hashable>(
    _ data: Data, id: KeyPath<Data.Element, ID>, @ViewBuilder content: @escaping (Data.Element) -> Content
  ) {}
}

// MARK: Controls

public enum ButtonRole: Sendable { case destructive, cancel }

public struct Button<Content: View>: PrimitiveView {
  public init(action: @escaping @MainActor () -> Void, @ViewBuilder label: () -> Content) {}
}
extension Button where Content == Text {
  public init<S: StringProtocol>(_ title: S, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void) {}
}
extension Button where Content == Label<Text, Image> {
  public init<S: StringProtocol>(
    _ title: S, systemImage: String, role: ButtonRole? = nil, action: @escaping @MainActor () -> Void
  ) {}
}

public struct ShareLink: PrimitiveView { public init<S: StringProtocol>(_ title: S, item: String) {} }
public struct PasteButton: PrimitiveView {
  public init<T>(payloadType: T.Type, onPaste: @escaping @Sendable ([T]) -> Void) {}
}

public struct Toggle<Content: View>: PrimitiveView {}
extension Toggle where Content == Text {
  public init<S: StringProtocol>(_ title: S, isOn: Binding<Bool>) {}
}

public struct TextField<Content: View>: PrimitiveView {}
extension TextField where Content == Text {
  public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
  public init<S: StringProtocol>(_ title: S, text: Binding<String>, axis: Axis) {}
}
public enum Axis: Sendable { case horizontal, vertical }

public struct SecureField<Content: View>: PrimitiveView {}
extension SecureField where Content == Text {
  public init<S: StringProtocol>(_ title: S, text: Binding<String>) {}
}

public struct LabeledContent<Title: View, Content: View>: PrimitiveView {
  public init(@ViewBuilder content: () -> Content, @ViewBuilder label: () -> Title) {}
}
extension LabeledContent where Title == Text, Content == Text {
  public init<S: StringProtocol, T: StringProtocol>(_ title: S, value: T) {}
}

public struct ProgressView<Title: View, Value: View>: PrimitiveView {}
extension ProgressView where Title == EmptyView, Value == EmptyView {
  public init() {}
}
extension ProgressView where Title == Text, Value == EmptyView {
  public init<S: StringProtocol>(_ title: S) {}
}
extension ProgressView where Value == EmptyView {
  public init<V: BinaryFloatingPoint>(value: V?, total: V = 1, @ViewBuilder label: () -> Title) {}
}
extension ProgressView {
  public init<V: BinaryFloatingPoint>(
    value: V?, total: V = 1, @ViewBuilder label: () -> Title, @ViewBuilder currentValueLabel: () -> Value
  ) {}
}

public protocol PrimitiveButtonStyle {}
public struct BorderedButtonStyle: PrimitiveButtonStyle {}
extension PrimitiveButtonStyle where Self == BorderedButtonStyle {
  public static var bordered: BorderedButtonStyle { fatalError() }
}

// MARK: Modifiers

public struct AccessibilityChildBehavior: Sendable {
  public static let combine = AccessibilityChildBehavior(), ignore = AccessibilityChildBehavior()
}
public struct UIKeyboardType: Sendable { public static let numberPad = UIKeyboardType(), phonePad = UIKeyboardType(), URL = UIKeyboardType() }
public struct TextInputAutocapitalization: Sendable { public static var never: TextInputAutocapitalization { fatalError() } }
public struct UITextContentType: Sendable { public static let telephoneNumber = UITextContentType() }

extension View {
  public func font(_ font: Font?) -> some View { AnyContent() }
  public func foregroundStyle<S: ShapeStyle>(_ style: S) -> some View { AnyContent() }
  public func buttonStyle<S: PrimitiveButtonStyle>(_ style: S) -> some View { AnyContent() }
  public func disabled(_ isDisabled: Bool) -> some View { AnyContent() }
  public func navigationTitle<S: StringProtocol>(_ title: S) -> some View { AnyContent() }
  public func tabItem<V: View>(@ViewBuilder _ label: () -> V) -> some View { AnyContent() }
  public func keyboardType(_ type: UIKeyboardType) -> some View { AnyContent() }
  public func textContentType(_ type: UITextContentType?) -> some View { AnyContent() }
  public func textInputAutocapitalization(_ kind: TextInputAutocapitalization?) -> some View { AnyContent() }
  public func autocorrectionDisabled(_ isDisabled: Bool = true) -> some View { AnyContent() }
  public func lineLimit(_ lines: ClosedRange<Int>) -> some View { AnyContent() }
  public func onSubmit(_ action: @escaping () -> Void) -> some View { AnyContent() }
  public func accessibilityHidden(_ isHidden: Bool) -> some View { AnyContent() }
  public func accessibilityLabel<S: StringProtocol>(_ label: S) -> some View { AnyContent() }
  public func accessibilityValue<S: StringProtocol>(_ value: S) -> some View { AnyContent() }
  public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View { AnyContent() }
  public func onChange<V: Equatable>(of value: V, initial: Bool = false, _ action: @escaping (V, V) -> Void) -> some View {
    AnyContent()
  }
  public func onChange<V: Equatable>(of value: V, initial: Bool = false, _ action: @escaping () -> Void) -> some View {
    AnyContent()
  }
  public func task(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View { AnyContent() }
  public func refreshable(@_inheritActorContext _ action: @escaping @Sendable () async -> Void) -> some View {
    AnyContent()
  }
}
