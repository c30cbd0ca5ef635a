// The pipelines of pipelines/lists, each with a list of the same shape as the published one and made-up numbers.

import TestSupport
import Testing

/// A list in the shape of a published one.
struct PublicList: CustomTestStringConvertible {
  /// The name of the pipeline, without `.yaml`.
  let name: String
  /// A shell command that prints the list.
  let sample: String
  /// The records, in the text form.
  let records: String

  var testDescription: String { name }

  static let all = [
    PublicList(
      name: "ftc-complaints",
      sample: #"""
        printf '%s\r\n' \
          'Company_Phone_Number,Created_Date,Violation_Date,Consumer_City,Consumer_State,Consumer_Area_Code,Subject,Recorded_Message_Or_Robocall' \
          '2025550143,2026-11-20 00:02:41,2026-11-19 19:13:00,,,202,Other,Y' \
          '2025550143,2026-11-20 00:03:17,2026-11-19 16:59:00,"Example, East",Ohio,202,"Home improvement & cleaning",N' \
          '2025550143,2026-11-20 00:04:17,2026-11-19 17:59:00,Example,Ohio,202,"Home improvement & cleaning",N' \
          ',2026-11-20 00:05:17,2026-11-19 18:59:00,Example,Ohio,202,Other,Y' \
          '55512,2026-11-20 00:06:17,2026-11-19 18:59:00,Example,Ohio,202,Other,Y' \
          '2025550*,2026-11-20 00:07:17,2026-11-19 18:59:00,Example,Ohio,202,Other,Y' \
          '3125550199,2026-11-20 00:08:17,2026-11-19 18:59:00,Example,Ohio,312,"Reducing your debt (credit cards, mortgage, student loans)",Y'
        """#,
      records: """
        12025550143\tHome improvement & cleaning\tFTC
        13125550199\tReducing your debt (credit cards, mortgage, student loans)\tFTC

        """),
    PublicList(
      name: "nanpa",
      sample: #"""
        printf '%s\r\n' \
          'State\tNPA-NXX\tOCN \tCompany               \tRateCenter\tEffectiveDate\tUse\tAssignDate   \tInitial/Growth\tPooled Code \tIn Service  \tFile Updated 11/20/2026' \
          'OH   \t234-555\t0001\t"EXAMPLE TELEPHONE COMPANY"\tEXAMPLE   \t             \tAS \t02/21/2006   \tI             \tN           \tYes      ' \
          'OH   \t234-556\t0002\t"EXAMPLE WIRELESS, INC."\tEXAMPLE   \t             \tAS \t02/21/2006   \tG             \tY           \tYes      ' \
          'OH   \t234-211\t    \t                      \tXXXXXXXXXX\t             \tUA \t             \t              \t            \tNo       ' \
          | sed 's/\\t/\t/g'
        """#,
      records: """
        12342110000..12342119999\t\tOH
        12345550000..12345559999\tEXAMPLE TELEPHONE COMPANY\tOH
        12345560000..12345569999\tEXAMPLE WIRELESS, INC.\tOH

        """),
    PublicList(
      name: "arcep",
      sample: #"""
        printf '%s\r\n' \
          'EZABPQM;Tranche_Debut;Tranche_Fin;Mnémo;Territoire;Date_Attribution' \
          '01990;0199000000;0199099999;FAKE;Métropole;01/01/2017' \
          '0639981;0639981000;0639981999;ÉXEM;Métropole;22/09/2025' \
          '3999;3999;3999;FAKE;National;22/09/2025' | iconv -f UTF-8 -t ISO-8859-1
        """#,
      records: """
        33199000000..33199099999\tFAKE\tMétropole
        33639981000..33639981999\tÉXEM\tMétropole

        """),
    PublicList(
      name: "bnetza",
      sample: #"""
        printf '%s\r\n' 'Ortsnetzkennzahl;Ortsnetzname;KennzeichenAktiv' \
          '4999;Öde a d Aue;1'; printf '\032'
        """#,
      records: """
        49990000..49999999\tÖde a d Aue\tBNetzA
        499900000..499999999\tÖde a d Aue\tBNetzA
        4999000000..4999999999\tÖde a d Aue\tBNetzA
        49990000000..49999999999\tÖde a d Aue\tBNetzA
        499900000000..499999999999\tÖde a d Aue\tBNetzA
        4999000000000..4999999999999\tÖde a d Aue\tBNetzA
        49990000000000..49999999999999\tÖde a d Aue\tBNetzA
        499900000000000..499999999999999\tÖde a d Aue\tBNetzA

        """),
    PublicList(
      name: "phoneblock",
      sample: #"""
        printf '%s\n' '{"numbers":[' \
          '{"phone":"+4930555000001","votes":4,"rating":"G_FRAUD","lastActivity":1790000000000},' \
          '{"phone":"+4930555000002","votes":100,"rating":"E_ADVERTISING","lastActivity":1790000000000},' \
          '{"phone":"+4930555000003","votes":2,"rating":"B_MISSED","lastActivity":1790000000000},' \
          '{"phone":"+4930555000004","votes":0,"rating":"A_LEGITIMATE","lastActivity":1790000000000}],"version":42}'
        """#,
      records: """
        4930555000001\tG_FRAUD\tPhoneBlock\t4
        4930555000002\tE_ADVERTISING\tPhoneBlock\t100

        """),
    PublicList(
      name: "saracroche",
      sample: #"""
        printf '%s\n' '{"version":"2026.01.01.01.01","name":"Made-up list","description":"Made up",' \
          '"blocked_numbers_count":1000001,"patterns":[' \
          '{"name":"Démarchage","action":"block","pattern":"33199######"},' \
          '{"name":"Opérateur","action":"block","pattern":"3363998####"}]}'
        """#,
      records: """
        33199000000..33199999999\tDémarchage\tSaracroche
        33639980000..33639989999\tOpérateur\tSaracroche

        """),
  ]
}

/// A pipeline that reads samples in `samples/lists`.
struct SampledList: CustomTestStringConvertible {
  /// The name of the pipeline, without `.yaml`.
  let name: String
  /// Arguments that write the list to standard output, and a command that follows.
  let settings: String
  /// What is printed.
  let output: String

  var testDescription: String { name }

  private static let text = "--set emit.path=- --set emit.format=tsv"

  static let all = [
    SampledList(
      name: "ftc-90-days", settings: text + " --set sources.ftc.parse.now=2026-11-29",
      output: """
        12025550143\tHome improvement & cleaning\tFTC\t3\t2026-11-19
        14045550123\tReducing your debt (credit cards, mortgage, student loans)\tFTC\t4\t2026-11-19

        """),
    SampledList(
      name: "es-mobile",
      settings:
        "--set emit.1.path=es.csv --set emit.2.path=es.xml --set emit.3.path=es.vcf; cat es.csv; grep -c TEL es.vcf",
      output: """
        pattern,description
        34600000101,Spam
        34600000102,Spam
        34612000103,Spam
        34622000108,Spam
        34711000104,Spam
        5

        """),
    SampledList(
      name: "community",
      settings: text + " --set dedupe.conflicts=conflicts.tsv; grep inferred conflicts.tsv",
      output: """
        493055500101\tUmfrage\tcarl\t2
        4915123456700..4915123456704\tWerbung
        4915123456706..4915123456799\tWerbung
        4915123456700..4915123456799\tWerbung\t\tinferred\tinferred\t\t\t\t\t\t12\t1

        """),
  ]
}

@Suite("Pipelines for public lists")
struct PublicListTests {
  private static let folder = Program.root + "/pipelines/lists"

  @Test("each pipeline has a list here")
  func complete() async throws {
    let outcome = try await Program.shell("ls '\(Self.folder)'", in: try Workshop())
    #expect(
      outcome.outputText.split(separator: "\n").map(String.init)
        == (PublicList.all.map(\.name) + SampledList.all.map(\.name)).map { $0 + ".yaml" }.sorted())
  }

  @Test("a pipeline passes the check, and reads a list of the published shape", arguments: PublicList.all)
  func records(_ list: PublicList) async throws {
    let workshop = try Workshop()
    let file = "'\(Self.folder)/\(list.name).yaml'"
    let check = try await Program.shell("cdpipe run --check \(file)", in: workshop)
    #expect(check.status == 0, "\(check.errors)")
    let run = try await Program.shell(
      """
      { \(list.sample); } > list
      cdpipe run \(file) --quiet --set url="$PWD/list" --set emit.path=- --set emit.format=tsv
      """, in: workshop)
    #expect(run.outputText == list.records)
    #expect(run.errors == "" && run.status == 0)
  }

  @Test("a pipeline reads its sample", arguments: SampledList.all)
  func sampled(_ list: SampledList) async throws {
    let workshop = try Workshop()
    let run = try await Program.shell(
      "cdpipe run '\(Self.folder)/\(list.name).yaml' --quiet \(list.settings)", in: workshop)
    #expect(run.outputText == list.output)
    #expect(run.errors == "" && run.status == 0)
  }
}
