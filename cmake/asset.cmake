# Writes a file, plain and compressed, as C++ constants: what the server serves lives in its binary.
#   cmake -D IN=page.html -D NAME=wait_page -D OUT=wait_page.cpp -P asset.cmake
function(bytes_of file out)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],0x[0-9a-f][0-9a-f],)" "\\1\n" bytes "${bytes}")
  set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

execute_process(COMMAND gzip -9 -n -c "${IN}" OUTPUT_FILE "${OUT}.gz" COMMAND_ERROR_IS_FATAL ANY)
bytes_of("${IN}" plain)
bytes_of("${OUT}.gz" compressed)
file(SHA256 "${IN}" digest)
string(SUBSTRING "${digest}" 0 16 etag)
file(WRITE "${OUT}" "// Made from a file of web/ by cmake/asset.cmake.
#include \"desk/assets.h\"
namespace anteroom::assets {
namespace {
const unsigned char plain_${NAME}[] = {${plain}0};
const unsigned char compressed_${NAME}[] = {${compressed}0};
}
const Asset ${NAME}{
    {reinterpret_cast<const char*>(plain_${NAME}), sizeof plain_${NAME} - 1},
    {reinterpret_cast<const char*>(compressed_${NAME}), sizeof compressed_${NAME} - 1},
    \"\\\"${etag}\\\"\"};
}
")
