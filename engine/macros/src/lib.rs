//! The attribute `compiled_for`, which compiles a function once for each instruction set.
//!
//! `othello_core::simd` re-exports it. The function's body becomes an `#[inline(always)]` function,
//! which the version for each instruction set calls. (LLVM might not inline a closure there.)

use proc_macro::TokenStream;
use quote::{format_ident, quote};
use syn::{Expr, FnArg, GenericParam, Ident, ItemFn, parse_macro_input, parse_quote};

const AVX2: &str = "avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt";
const AVX512: &str = "avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt,\
    avx512f,avx512bw,avx512cd,avx512dq,avx512vl";

/// Compiles a function once for each instruction set. The attribute's argument is an
/// `InstructionSet`, which selects the version that a call runs; the processor must support it.
/// Safe arguments are `InstructionSet::chosen()` and, if a parameter is a token of type `I`,
/// `I::SET`.
#[proc_macro_attribute]
pub fn compiled_for(set: TokenStream, function: TokenStream) -> TokenStream {
    let set = parse_macro_input!(set as Expr);
    let ItemFn { attrs, vis, sig, block, .. } = parse_macro_input!(function as ItemFn);

    // Each parameter's pattern is replaced by a name, which can be passed on to a version.
    let (mut plain, mut names, mut receiver) = (sig.clone(), vec![], quote!());
    for (number, parameter) in plain.inputs.iter_mut().enumerate() {
        match parameter {
            FnArg::Receiver(_) => receiver = quote!(self.),
            FnArg::Typed(parameter) => {
                let name = format_ident!("parameter_{number}");
                *parameter.pat = parse_quote!(#name);
                names.push(name);
            }
        }
    }
    let generics = sig.generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Lifetime(_) => None,
        GenericParam::Type(parameter) => Some(&parameter.ident),
        GenericParam::Const(parameter) => Some(&parameter.ident),
    });
    let generics = quote!(::<#(#generics),*>);
    let call = |name: &Ident| quote!(#receiver #name #generics(#(#names),*));
    let mut body = sig.clone();
    body.ident = format_ident!("{}_inlined", sig.ident);
    let inlined = call(&body.ident);

    let (mut arms, mut versions) = (quote!(), quote!());
    for (number, suffix, features) in [(2u8, "avx512", AVX512), (1, "avx2", AVX2)] {
        let mut version = plain.clone();
        version.ident = format_ident!("{}_{suffix}", sig.ident);
        let call = call(&version.ident);
        arms.extend(quote! {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: the argument is a set that the processor has.
            #number => unsafe { #call },
        });
        versions.extend(quote! {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = #features)]
            #version {
                #inlined
            }
        });
    }

    quote! {
        #(#attrs)*
        #vis #plain {
            match #set as u8 {
                #arms
                _ => #inlined,
            }
        }

        #versions

        #[inline(always)]
        #body #block
    }
    .into()
}
