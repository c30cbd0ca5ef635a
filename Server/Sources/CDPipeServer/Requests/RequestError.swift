// Why a request is rejected, and the response that reports it. Not for the server's own errors (SiteError).

import HTTPTypes
import Hummingbird
import NIOCore

/// Why a request is rejected.
package enum RequestError: Error, Equatable, Sendable {
  case noSuchPath
  case noSuchMethod(allowed: String)
  case notServed(String)
  case notJSON
  case missing(field: String)
  case repeated(field: String)
  case noClientAddress
  case wrongType(field: String)
  case unknownVersion
  case unknownContentType
  case unknownEncoding
  case bodyTooLarge(bytesMax: Int)
  case badCountry
  case badNumber
  case numberNotFound
  case noSuchFile
  case noSuchRange(size: Int)
  case tooManyRequests
  case busy
  case notForYou
  case tooSlow
  case damaged

  /// The response's HTTP status.
  var status: HTTPResponse.Status {
    switch self {
    case .noSuchPath, .notServed, .numberNotFound, .noSuchFile: .notFound
    case .noSuchMethod: .methodNotAllowed
    case .notJSON, .missing, .repeated, .noClientAddress, .wrongType, .unknownVersion, .badCountry,
      .badNumber:
      .badRequest
    case .unknownContentType, .unknownEncoding: .unsupportedMediaType
    case .bodyTooLarge: .contentTooLarge
    case .noSuchRange: .rangeNotSatisfiable
    case .tooManyRequests: .tooManyRequests
    case .busy: .serviceUnavailable
    case .notForYou: .forbidden
    case .tooSlow: .requestTimeout
    case .damaged: .internalServerError
    }
  }

  /// The stable code for programs.
  var code: String {
    switch self {
    case .noSuchPath: "no-such-path"
    case .noSuchMethod: "no-such-method"
    case .notServed: "not-served"
    case .notJSON: "not-json"
    case .missing: "missing-field"
    case .repeated: "repeated-field"
    case .noClientAddress: "no-client-address"
    case .wrongType: "wrong-type"
    case .unknownVersion: "unknown-version"
    case .unknownContentType: "unknown-content-type"
    case .unknownEncoding: "unknown-encoding"
    case .bodyTooLarge: "body-too-large"
    case .badCountry: "bad-country"
    case .badNumber: "bad-number"
    case .numberNotFound: "number-not-found"
    case .noSuchFile: "no-such-file"
    case .noSuchRange: "no-such-range"
    case .tooManyRequests: "too-many-requests"
    case .busy: "busy"
    case .notForYou: "not-for-you"
    case .tooSlow: "too-slow"
    case .damaged: "damaged"
    }
  }

  /// Details of the code, such as the field's name: always our own word, never the client's text.
  private var about: String? {
    switch self {
    case .missing(let field), .repeated(let field), .wrongType(let field): field
    case .noClientAddress: "X-Forwarded-For"
    case .bodyTooLarge(let bytesMax): "\(bytesMax)"
    case .notServed(let what): what
    case .noSuchMethod(let allowed): allowed
    default: nil
    }
  }

  /// The response's body.
  var body: ByteBuffer {
    let about = about.map { #","about":\#(JSON.string($0))"# } ?? ""
    return ByteBuffer(string: #"{"error":"\#(code)"\#(about)}"# + "\n")
  }

  /// The response.
  var response: Response {
    var headers = HTTPFields.json
    switch self {
    case .noSuchMethod(let allowed): headers[.allow] = allowed
    case .noSuchRange(let size): headers[.contentRange] = "bytes */\(size)"
    case .tooManyRequests, .busy: headers[.retryAfter] = "1"
    // The rest of the body is not read, so the connection can't be reused.
    case .bodyTooLarge: headers[.connection] = "close"
    default: break
    }
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
  }
}

extension HTTPFields {
  /// The header fields of a JSON response that must not be cached.
  static let json: HTTPFields = [
    .contentType: "application/json; charset=utf-8",
    .cacheControl: "no-store",
  ]
}
