// The top-level domains that make `abc.xyz` a link without a scheme. Not for: links with a scheme or with `www.`.
//
// Source: IANA's root zone: all country codes, and the generic names that links in messages use. A name that is missing
// here is only recognised after `https://` or `www.`.

enum TopLevelDomains {
  /// The names, each with a space on both sides.
  private static let names: StaticString = """
     com net org info biz edu gov mil int name pro mobi asia tel travel jobs cat coop aero museum post xxx app dev \
    page web site website online store shop shopping club vip top xyz icu win bid loan men work works live life link \
    click fun ink wang ltd group company email space tech host press news media video chat social cloud team world \
    today center city agency network digital global zone market markets money cash finance financial fund credit loans \
    bet poker casino game games play racing party date dating review reviews science trade trading download stream \
    faith accountant cricket webcam men gdn kim red blue pink black green gold lol wtf buzz cyou sbs cfd quest monster \
    rest beauty hair skin makeup autos boats homes yachts lat bond tokyo london paris berlin nyc amsterdam bar ren xin \
    love hot sexy porn adult cam sex art blog one plus run ooo fit health clinic care law legal tax tours vacations \
    ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw by bz ca cc cd \
    cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gd ge \
    gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh \
    ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw \
    mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb \
    sc sd se sg sh si sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk \
    us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw\u{20}
    """

  /// Whether a label, in lower case, is a top-level domain.
  static func contains(_ label: ArraySlice<UInt8>) -> Bool {
    guard label.count >= 2, label.count <= 63 else { return false }
    if label.count > 4, label.starts(with: "xn--".utf8) { return true }
    return names.withUTF8Buffer { names in
      var at = 0
      while at < names.count {
        var end = at
        while unsafe end < names.count && names[end] != 0x20 { end += 1 }
        if end - at == label.count, unsafe names[at..<end].elementsEqual(label) { return true }
        at = end + 1
      }
      return false
    }
  }
}
