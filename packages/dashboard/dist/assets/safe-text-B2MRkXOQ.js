var e=/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;function t(t){return t.replaceAll(`\r
`,`
`).replaceAll(e,r)}function n(e,n=300){return t(e.length>n?`${e.slice(0,n)}…`:e).split(`
`).map(e=>e.trim()).join(` ⏎ `).replaceAll(`	`,` `)}function r(e){let t=e.charCodeAt(0);return t<256?`\\x${t.toString(16).padStart(2,`0`)}`:`\\u${t.toString(16).padStart(4,`0`)}`}export{n,t};