//! The names of Unicode properties that ECMAScript and the crate `regex` both have. ECMAScript demands exact names, and `regex`
//! also reads `\p{greek}`.

/// The values of `General_Category`. `Surrogate` is not one: no text of Rust contains any.
const CATEGORIES: &str = "\
    L LC Lu Ll Lt Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp C Cc Cf Co Cn \
    punct digit cntrl Combining_Mark Other Cased_Letter Control Format Close_Punctuation Unassigned \
    Private_Use Mark Connector_Punctuation Currency_Symbol Dash_Punctuation Decimal_Number Enclosing_Mark \
    Final_Punctuation Initial_Punctuation Letter Letter_Number Line_Separator Lowercase_Letter \
    Modifier_Letter Other_Letter Titlecase_Letter Uppercase_Letter Math_Symbol Spacing_Mark Nonspacing_Mark \
    Modifier_Symbol Number Other_Number Open_Punctuation Other_Punctuation Other_Symbol Punctuation \
    Paragraph_Separator Symbol Separator Space_Separator";

/// The binary properties of ECMAScript, with their aliases.
const BINARY: &str = "\
    ASCII_Hex_Digit Alphabetic Bidi_Control Bidi_Mirrored Case_Ignorable Cased Changes_When_Casefolded \
    Changes_When_Casemapped Changes_When_Lowercased Changes_When_Titlecased Changes_When_Uppercased Dash \
    Default_Ignorable_Code_Point Deprecated Diacritic Emoji Emoji_Component Emoji_Modifier \
    Emoji_Modifier_Base Emoji_Presentation Extended_Pictographic Extender Grapheme_Base Grapheme_Extend \
    Hex_Digit IDS_Binary_Operator IDS_Trinary_Operator ID_Continue ID_Start Ideographic Join_Control \
    Logical_Order_Exception Lowercase Math Noncharacter_Code_Point Pattern_Syntax Pattern_White_Space \
    Quotation_Mark Radical Regional_Indicator Sentence_Terminal Soft_Dotted Terminal_Punctuation \
    Unified_Ideograph Uppercase Variation_Selector White_Space XID_Continue XID_Start ASCII Any Assigned AHex \
    Alpha Bidi_C Bidi_M CI CWCF CWCM CWL CWT CWU DI Dep Dia EBase EComp EMod EPres Ext ExtPict Gr_Base Gr_Ext \
    Hex IDC IDS IDSB IDST Ideo Join_C LOE Lower NChar Pat_Syn Pat_WS QMark RI SD STerm Term UIdeo Upper VS \
    space XIDC XIDS";

/// The scripts. Their aliases have four letters.
const SCRIPTS: &str = "\
    Adlam Caucasian_Albanian Ahom Anatolian_Hieroglyphs Arabic Armenian Imperial_Aramaic Avestan Balinese \
    Bamum Bassa_Vah Batak Bengali Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Chakma Canadian_Aboriginal \
    Carian Cham Cherokee Chorasmian Common Coptic Cypro_Minoan Cypriot Cuneiform Cyrillic Deseret Devanagari \
    Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Garay Georgian Glagolitic \
    Gunjala_Gondi Masaram_Gondi Gothic Grantha Greek Gujarati Gurung_Khema Gurmukhi Han Hangul \
    Hanifi_Rohingya Hanunoo Hatran Hebrew Hiragana Pahawh_Hmong Nyiakeng_Puachue_Hmong Old_Hungarian \
    Inherited Inscriptional_Pahlavi Inscriptional_Parthian Old_Italic Javanese Kaithi Kayah_Li Katakana \
    Kannada Kawi Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Kirat_Rai Tai_Tham Lao Latin Lepcha \
    Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen \
    Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi Mongolian Mro \
    Multani Myanmar Nabataean Nag_Mundari Nandinagari Old_North_Arabian Newa New_Tai_Lue Nko Nushu Ogham \
    Ol_Chiki Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Ol_Onal Oriya Osage \
    Osmanya Palmyrene Pau_Cin_Hau Phags_Pa Psalter_Pahlavi Phoenician Rejang Runic Samaritan Saurashtra \
    SignWriting Sharada Shavian Siddham Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Sunuwar Syloti_Nagri \
    Syriac Tagalog Tagbanwa Tai_Le Tai_Viet Takri Tamil Tangut Tangsa Telugu Tifinagh Thaana Thai Tibetan \
    Tirhuta Todhri Toto Tulu_Tigalari Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square";

/// Checks the text between the braces of `\p{…}`, where `p` is `p` or `P`.
///
/// # Errors
/// The replacement.
pub(super) fn check(p: char, name: &str) -> Result<(), String> {
    let has = |names: &str, name: &str| names.split(' ').any(|one| one == name);
    let known = match name.split_once('=') {
        Some(("General_Category" | "gc", value)) => has(CATEGORIES, value),
        Some(("Script" | "sc" | "Script_Extensions" | "scx", value)) => is_script(value),
        Some(_) => false,
        None => has(CATEGORIES, name) || has(BINARY, name),
    };
    if known {
        return Ok(());
    }
    if let Some(name) = name.strip_prefix('^') {
        let p = if p == 'p' { 'P' } else { 'p' };
        return Err(format!(r"write `\{p}{{{name}}}`"));
    }
    let value = name.split_once(['=', ':']).map_or(name, |(_, value)| value);
    let like = |names: &'static str| names.split(' ').find(|one| plain(one) == plain(value));
    Err(match (like(CATEGORIES), like(BINARY), like(SCRIPTS)) {
        (Some(name), _, _) | (None, Some(name), _) => format!(r"write `\{p}{{{name}}}`"),
        (None, None, Some(name)) => format!(r"write `\{p}{{Script={name}}}`"),
        (None, None, None) => {
            r"write for example `\p{L}`, `\p{Lowercase}` or `\p{Script=Greek}`".to_owned()
        }
    })
}

/// Whether it is the name of a script, or has the form of an alias. Whether the alias exists, the compiler of the pattern checks.
fn is_script(name: &str) -> bool {
    let alias = |name: &str| {
        name.len() == 4
            && name.starts_with(|c: char| c.is_ascii_uppercase())
            && name[1..].bytes().all(|b| b.is_ascii_lowercase())
            && !matches!(name, "Hrkt" | "Zzzz")
    };
    SCRIPTS.split(' ').any(|one| one == name) || (name.is_ascii() && alias(name))
}

/// The name as `regex` compares it.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
    letters.map(|c| c.to_ascii_lowercase()).collect()
}
