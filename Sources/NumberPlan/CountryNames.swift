// English names of countries and territories, and of networks without a country.
//
// Source: the codes and short names of ISO 3166-1 as of ISO/TC 46 N1108 (2023-04-05), from iso3166.tab of the IANA
// time zone database, which is in the public domain; names in their common English form. AC, TA and XK are reserved
// or user-assigned there. Networks: the list of assigned codes of ITU-T Recommendation E.164.

package enum CountryNames {
  /// The name of a region; its code if it has no name here.
  package static func name(_ region: Region, callingCode: UInt16) -> String {
    region.isGeographic
      ? byCode[region.code] ?? region.code : networks[callingCode] ?? "International network"
  }

  /// Names by two-letter code.
  package static let byCode: [String: String] = Dictionary(
    uniqueKeysWithValues: table.split(separator: ",").map { entry in
      let entry = entry.drop(while: \.isWhitespace)
      return (String(entry.prefix(2)), String(entry.dropFirst(3)))
    })

  private static let networks: [UInt16: String] = [
    800: "International freephone", 808: "International shared cost", 870: "Inmarsat",
    878: "Universal personal numbers", 881: "Satellite networks", 882: "International networks",
    883: "International networks", 888: "Disaster relief", 979: "International premium rate",
  ]

  private static let table = """
    AC Ascension Island, AD Andorra, AE United Arab Emirates, AF Afghanistan, AG Antigua & Barbuda,
    AI Anguilla, AL Albania, AM Armenia, AO Angola, AR Argentina, AS American Samoa, AT Austria, AU Australia,
    AW Aruba, AX Åland Islands, AZ Azerbaijan, BA Bosnia & Herzegovina, BB Barbados, BD Bangladesh,
    BE Belgium, BF Burkina Faso, BG Bulgaria, BH Bahrain, BI Burundi, BJ Benin, BL St Barthélemy, BM Bermuda,
    BN Brunei, BO Bolivia, BQ Caribbean Netherlands, BR Brazil, BS Bahamas, BT Bhutan, BW Botswana,
    BY Belarus, BZ Belize, CA Canada, CC Cocos Islands, CD Congo-Kinshasa, CF Central African Republic,
    CG Congo-Brazzaville, CH Switzerland, CI Côte d'Ivoire, CK Cook Islands, CL Chile, CM Cameroon, CN China,
    CO Colombia, CR Costa Rica, CU Cuba, CV Cape Verde, CW Curaçao, CX Christmas Island, CY Cyprus,
    CZ Czechia, DE Germany, DJ Djibouti, DK Denmark, DM Dominica, DO Dominican Republic, DZ Algeria,
    EC Ecuador, EE Estonia, EG Egypt, EH Western Sahara, ER Eritrea, ES Spain, ET Ethiopia, FI Finland,
    FJ Fiji, FK Falkland Islands, FM Micronesia, FO Faroe Islands, FR France, GA Gabon, GB United Kingdom,
    GD Grenada, GE Georgia, GF French Guiana, GG Guernsey, GH Ghana, GI Gibraltar, GL Greenland, GM Gambia,
    GN Guinea, GP Guadeloupe, GQ Equatorial Guinea, GR Greece, GT Guatemala, GU Guam, GW Guinea-Bissau,
    GY Guyana, HK Hong Kong, HN Honduras, HR Croatia, HT Haiti, HU Hungary, ID Indonesia, IE Ireland,
    IL Israel, IM Isle of Man, IN India, IO British Indian Ocean Territory, IQ Iraq, IR Iran, IS Iceland,
    IT Italy, JE Jersey, JM Jamaica, JO Jordan, JP Japan, KE Kenya, KG Kyrgyzstan, KH Cambodia, KI Kiribati,
    KM Comoros, KN St Kitts & Nevis, KP North Korea, KR South Korea, KW Kuwait, KY Cayman Islands,
    KZ Kazakhstan, LA Laos, LB Lebanon, LC St Lucia, LI Liechtenstein, LK Sri Lanka, LR Liberia, LS Lesotho,
    LT Lithuania, LU Luxembourg, LV Latvia, LY Libya, MA Morocco, MC Monaco, MD Moldova, ME Montenegro,
    MF St Martin, MG Madagascar, MH Marshall Islands, MK North Macedonia, ML Mali, MM Myanmar, MN Mongolia,
    MO Macau, MP Northern Mariana Islands, MQ Martinique, MR Mauritania, MS Montserrat, MT Malta,
    MU Mauritius, MV Maldives, MW Malawi, MX Mexico, MY Malaysia, MZ Mozambique, NA Namibia, NC New Caledonia,
    NE Niger, NF Norfolk Island, NG Nigeria, NI Nicaragua, NL Netherlands, NO Norway, NP Nepal, NR Nauru,
    NU Niue, NZ New Zealand, OM Oman, PA Panama, PE Peru, PF French Polynesia, PG Papua New Guinea,
    PH Philippines, PK Pakistan, PL Poland, PM St Pierre & Miquelon, PR Puerto Rico, PS Palestine,
    PT Portugal, PW Palau, PY Paraguay, QA Qatar, RE Réunion, RO Romania, RS Serbia, RU Russia, RW Rwanda,
    SA Saudi Arabia, SB Solomon Islands, SC Seychelles, SD Sudan, SE Sweden, SG Singapore, SH St Helena,
    SI Slovenia, SJ Svalbard & Jan Mayen, SK Slovakia, SL Sierra Leone, SM San Marino, SN Senegal, SO Somalia,
    SR Suriname, SS South Sudan, ST São Tomé & Príncipe, SV El Salvador, SX Sint Maarten, SY Syria,
    SZ Eswatini, TA Tristan da Cunha, TC Turks & Caicos Islands, TD Chad, TG Togo, TH Thailand, TJ Tajikistan,
    TK Tokelau, TL East Timor, TM Turkmenistan, TN Tunisia, TO Tonga, TR Türkiye, TT Trinidad & Tobago,
    TV Tuvalu, TW Taiwan, TZ Tanzania, UA Ukraine, UG Uganda, US United States, UY Uruguay, UZ Uzbekistan,
    VA Vatican City, VC St Vincent & the Grenadines, VE Venezuela, VG British Virgin Islands,
    VI US Virgin Islands, VN Vietnam, VU Vanuatu, WF Wallis & Futuna, WS Samoa, XK Kosovo, YE Yemen,
    YT Mayotte, ZA South Africa, ZM Zambia, ZW Zimbabwe
    """
}
