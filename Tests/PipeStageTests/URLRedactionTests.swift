// URLs without secrets.

import Records
import Testing

@Suite("Secrets in URLs")
struct URLRedactionTests {
  @Test(
    "a URL loses its login, query and fragment",
    arguments: [
      ("https://host/a/list.csv", "https://host/a/list.csv"), ("https://host/a?key=S", "https://host/a?…"),
      ("https://host?S", "https://host?…"), ("https://host/a?…", "https://host/a?…"),
      ("https://user:S@host:81/a@b", "https://host:81/a@b"), ("https://S@host/a?b=c@d#S", "https://host/a?…"),
      ("https://host/#S", "https://host/#…"), ("https://host/a?b='S' S", "https://host/a?…"),
      ("https://S@S@host\\@x?S", "https://host\\@x?…"), ("ftp://host/a?S://S/", "ftp://host/a?…"),
      ("list.csv?v=1", "list.csv?v=1"), ("", ""), ("://", "://"), ("a://?", "a://?…"),
    ])
  func whole(text: String, expected: String) {
    #expect(URLRedaction.url(text) == expected)
    #expect(URLRedaction.url(expected) == expected)
  }

  @Test(
    "a path may be a URL with a missing or mistyped scheme",
    arguments: [
      ("host.org/a?S", "host.org/a?…"), ("http:/host/a?S", "http:/host/a?…"), ("a/list.csv", "a/list.csv"),
      ("host.org/a?b=c://S", "host.org/a?…"), ("https://host/a?S", "https://host/a?…"),
      ("https://host/#S", "https://host/#…"),
    ])
  func resource(text: String, expected: String) {
    #expect(URLRedaction.resource(text) == expected)
  }

  @Test(
    "URLs in a sentence",
    arguments: [
      ("'https://host/a?key=S': the server answered 404", "'https://host/a?…': the server answered 404"),
      ("from https://a/?S to http://u:S@b/c?S, too", "from https://a/?… to http://b/c?… too"),
      ("'https://a/?b=it's S", "'https://a/?… S"), ("url: \"https://a/?S\"", "url: \"https://a/?…\""),
      ("--set sources.one.url=https://a/b?S: no", "--set sources.one.url=https://a/b?… no"),
      ("no URL at all: 'a?b'", "no URL at all: 'a?b'"),
    ])
  func inText(text: String, expected: String) {
    #expect(URLRedaction.text(text) == expected)
    #expect(URLRedaction.text(expected) == expected)
  }
}
