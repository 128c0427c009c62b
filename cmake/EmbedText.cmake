# Writes OUTPUT, which defines the variables of web_files.hpp: a program that is installed elsewhere has its
# page with it. FOLDER holds page.html, page.css and the modules that SCRIPTS names, in their order.
#
#   cmake -DFOLDER=... -DSCRIPTS=a.js,b.js -DOUTPUT=... -P EmbedText.cmake

# Bytes and not a string literal: compilers limit the length of those.
function(append_bytes name)
  set(hex "")
  foreach(file IN LISTS ARGN)
    file(READ ${FOLDER}/${file} bytes HEX)
    string(APPEND hex ${bytes})
  endforeach()
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  set(text "${text}constexpr char ${name}Bytes[] = {\n${bytes}};\n" PARENT_SCOPE)
endfunction()

string(REPLACE "," ";" SCRIPTS "${SCRIPTS}")
append_bytes(kPageHtml page.html)
append_bytes(kPageCss page.css)
append_bytes(kPageJs ${SCRIPTS})
file(WRITE ${OUTPUT} "#include \"harness/page/web_files.hpp\"\n\nnamespace highwater {\nnamespace {\n${text}}  // namespace\n
const std::string_view kPageHtml(kPageHtmlBytes, sizeof kPageHtmlBytes);
const std::string_view kPageCss(kPageCssBytes, sizeof kPageCssBytes);
const std::string_view kPageJs(kPageJsBytes, sizeof kPageJsBytes);\n\n}  // namespace highwater\n")
