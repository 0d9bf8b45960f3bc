# Writes a text file as a C++ constant, as it stands: what the program carries and does not serve.
#   cmake -D IN=rules.toml -D NAME=rules -D OUT=rules.cpp -D HEADER=gate/assets.h -D NAMESPACE=anteroom::gate::assets
#         -P text_asset.cmake
file(READ "${IN}" hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE "${OUT}" "// Made from a file of the tree by cmake/text_asset.cmake.
#include \"${HEADER}\"
namespace ${NAMESPACE} {
namespace {
const unsigned char bytes_of_${NAME}[] = {${bytes}0};
}
const std::string_view ${NAME}{
    reinterpret_cast<const char*>(bytes_of_${NAME}), sizeof bytes_of_${NAME} - 1};
}
")
