import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { sourcesHashFile } from './scripts/sources-hash.ts';

/** The pages, built once into `dist`, which is part of the package: whoever uses it builds nothing. */
export default defineConfig({
  root: fileURLToPath(new URL('web', import.meta.url)),
  base: './',
  plugins: [react(), sourcesHashFile()],
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    sourcemap: false,
    target: 'es2023',
    // The layout engine is large and only loaded with the chart.
    chunkSizeWarningLimit: 2_000,
    // A file within a file would need leave from the content security policy.
    assetsInlineLimit: 0,
  },
});
